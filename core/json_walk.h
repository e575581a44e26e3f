#pragma once

#include <cstddef>
#include <string>

#include <nlohmann/json.hpp>

namespace zoo {

/// Walks over a document without keeping any of it; each answers whether to go on.
class JsonWalk : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() final { return count(); }
  bool boolean(bool) final { return count(); }
  bool number_integer(number_integer_t) final { return count(); }
  bool number_unsigned(number_unsigned_t) final { return count(); }
  bool number_float(number_float_t, const std::string&) final { return count(); }
  bool string(std::string&) final { return count(); }
  bool binary(nlohmann::json::binary_t&) final { return count(); }
  bool start_object(std::size_t) final { return enter(); }
  bool start_array(std::size_t) final { return enter(); }
  bool end_object() final { return leave(); }
  bool end_array() final { return leave(); }

 protected:
  /// A value that is neither an array nor an object.
  virtual bool count() = 0;
  /// Where an array or an object begins and ends.
  virtual bool enter() = 0;
  virtual bool leave() = 0;
};

}  // namespace zoo
