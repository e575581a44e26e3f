#pragma once

#include <string>
#include <string_view>

namespace zoo {

/// Checks that a zip archive (APPNOTE 6.3) is whole: its directory, and the CRC-32 of what each
/// entry holds, stored or deflated, without keeping any of it. Throws UserError naming `source` and
/// the entry.
void check_zip(std::string_view bytes, const std::string& source);

}  // namespace zoo
