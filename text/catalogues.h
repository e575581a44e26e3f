#pragma once

#include <string>
#include <vector>

#include "text/data_options.h"
#include "text/pairs.h"

namespace zoo {

/// The pairs of all gettext catalogues of the language data.catalogues, file after file by name:
/// each message and its translation, and of a plural message also the plural and its second form
/// (the only one of a language that has one). Left out, each with its count in the notes: what is
/// untranslated, breaks a line or holds another control character, and what data.placeholders says.
/// The files go to data.files. Throws UserError: a language that is no name, no catalogue there
/// (saying what to install), a damaged catalogue.
std::vector<TextPair> read_catalogues(const DataOptions& options, PairData& data);

}  // namespace zoo
