// Interface: the base of whatever is called through virtual functions. It is never copied.
#pragma once

namespace vramlab {

class Interface {
 public:
  Interface() = default;
  Interface(const Interface&) = delete;
  Interface& operator=(const Interface&) = delete;
  virtual ~Interface() = default;
};

}  // namespace vramlab
