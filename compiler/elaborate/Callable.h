// Objects of the elaborator with C++ state: compiled functions, pullbacks, tree definitions. Their array
// leaves are the object's contents, so that loops and branches carry and join them like any other object.
#pragma once
#include "compiler/elaborate/Evaluator.h"

namespace jx::elab {

class OpaqueObject {
public:
  virtual ~OpaqueObject() = default;
  virtual llvm::StringRef typeName() const = 0;
  virtual Value call(Evaluator &ev, Object *self, CallArgs &args) const {
    return ev.typeError("'" + typeName().str() + "' object is not callable");
  }
  // Null without failure when there is no such attribute.
  virtual Value getAttr(Evaluator &ev, Object *self, llvm::StringRef name) const { return {}; }
  virtual Value repr(Evaluator &ev, Object *self) const {
    return ev.arena.str("<" + typeName().str() + " object>");
  }
  // Values that the C++ state holds.
  virtual void children(std::vector<Value> &held) const {}
  virtual bool equals(const OpaqueObject &other) const { return this == &other; }
};

Value makeOpaque(Evaluator &ev, std::shared_ptr<OpaqueObject> state, std::vector<Value> leaves = {});

template <typename T> T *opaqueAs(Value v) {
  return v.is(Kind::Opaque) ? dynamic_cast<T *>(static_cast<OpaqueObject *>(v.asObject()->opaque.get()))
                            : nullptr;
}

} // namespace jx::elab
