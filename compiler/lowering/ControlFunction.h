// Emission of one function of the control program.
//
// Values that live in registers are machine scalars; arrays are pointers, to planned buffers, to results that
// the caller provides, or into other arrays. Ops write into destinations chosen beforehand: a value that a
// loop carries on, stacks, or that is returned is written where it is wanted (a `Wish`), if nothing still
// needs what lies there.
#pragma once

#include "compiler/lowering/ControlProgram.h"
#include "compiler/lowering/ControlRegisters.h"
#include "compiler/lowering/MemoryPlan.h"

namespace jx {

/// Types of the machine scalars of an array.
llvm::SmallVector<mlir::Type> scalarTypes(mlir::Type type);
/// Bytes of an array in memory.
int64_t bytesOf(mlir::Type type);

class FunctionEmitter {
public:
  FunctionEmitter(ControlProgram &program, mlir::func::FuncOp source, ControlUnit &unit, double calls);

  mlir::LogicalResult emit(llvm::StringRef symbol);
  int64_t getFrameBytes() const { return frameBytes; }

private:
  /// Where a value is.
  struct Place {
    Registers scalars;        ///< of a value in registers
    mlir::Value pointer;      ///< of an array; of the jxrt_stack for a stack
    Buffer *buffer = nullptr; ///< memory that may be overwritten once nothing reads it; null: never
  };

  struct Loop;
  /// Where a value is wanted.
  struct Wish {
    mlir::Value pointer;
    Buffer *buffer = nullptr; ///< null: nothing else can lie there, it may be written at any time
    Loop *loop = nullptr;     ///< where it cannot be had, another buffer that the loop rotates
  };

  /// Memory of a loop's carries: one buffer a carry, and spare ones for new values that cannot overwrite old
  /// ones. Pointers to them are carried by the loop, so that handing a buffer on costs nothing.
  struct Slot {
    mlir::Value pointer; ///< in the body: an argument of the loop's header
    mlir::Value initial; ///< before the loop
    Buffer *buffer;      ///< what lies there within one trip
    int64_t bytes;
  };
  struct Loop {
    mlir::Operation *op = nullptr;
    mlir::Block *preheader = nullptr;
    mlir::Block *header = nullptr;
    llvm::SmallVector<Slot> slots;      ///< those of memory carries in order, then spares
    llvm::SmallVector<int> slotOfCarry; ///< -1 for registers and stacks
    llvm::SmallVector<Buffer *> homes;  ///< buffers of the memory carries in front of the loop
    llvm::SmallVector<mlir::Value> entryOperands, finalRegisters;
    llvm::SmallVector<bool> moved; ///< whether the next trip finds other memory in a slot
  };

  /// An output of a jx.for that stacks an element a trip.
  struct StackedOutput {
    mlir::Value base;
    mlir::Type element;
    Buffer *buffer; ///< null for run-time lists, and for what is in registers after the loop
  };

  // ControlFunction.cpp: places, buffers, dispatch.
  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emitOp(mlir::Operation *op);
  mlir::LogicalResult emitKernel(KernelOp op);
  mlir::LogicalResult emitReturn(mlir::func::ReturnOp op);
  mlir::LogicalResult emitRegisterOp(mlir::Operation *op);
  void emitConstant(ConstantOp op);
  Place &place(mlir::Value value);
  llvm::ArrayRef<mlir::Value> registersOf(mlir::Value value) { return place(value).scalars; }
  /// Address of the value; one in registers is stored to the native stack first.
  mlir::Value pointerOf(mlir::Value value);
  void setRegisters(mlir::Value value, llvm::ArrayRef<mlir::Value> scalars);
  void setMemory(mlir::Value value, mlir::Value pointer, Buffer *buffer);
  /// Loads a value that lives in registers from memory.
  Registers load(mlir::Type type, mlir::Value pointer);
  void store(mlir::Type type, llvm::ArrayRef<mlir::Value> scalars, mlir::Value pointer);
  /// Writes the value to `pointer`.
  mlir::LogicalResult copyTo(mlir::Value value, mlir::Value pointer);
  /// Copies arrays, none of whose destinations is itself a source, unless through temporary memory.
  mlir::LogicalResult copyAll(llvm::ArrayRef<std::pair<mlir::Value, Wish>> copies, mlir::Operation *at);
  void emitCopy(mlir::Value to, mlir::Value from, int64_t bytes);
  void emitFill(mlir::Value to, mlir::Type type, mlir::ElementsAttr splat);
  mlir::Value stackAlloc(int64_t bytes);
  Buffer *newBuffer(int64_t bytes, mlir::Operation *at, mlir::Value &pointer) {
    program.noteArray(bytes, at->getLoc());
    return reserve(bytes, at, pointer);
  }
  Buffer *reserve(int64_t bytes, mlir::Operation *at, mlir::Value &pointer);
  Buffer *newName() {
    buffers.emplace_back().planned = false;
    return &buffers.back();
  }

  /// Where the result `value` of `op` goes. `shares(k)` says whether it may overwrite operand k while op
  /// runs; the operand chosen is left in `shared`, -1 for none.
  Wish chooseDestination(mlir::Value value, mlir::Operation *op, llvm::function_ref<bool(unsigned)> shares,
                         int64_t &shared);
  /// Whether `op` may write into `buffer`: nothing in it is needed any more, save operand `shared`.
  bool mayOverwrite(Buffer *buffer, mlir::Operation *op, llvm::function_ref<bool(unsigned)> shares,
                    int64_t &shared);
  /// Wishes the value, or what it is a reshape of, to be made at `wish`, if it is made in `block`.
  void wish(mlir::Value value, mlir::Block *block, const Wish &wish);

  // ControlLoops.cpp
  mlir::LogicalResult emitFor(ForOp op);
  StackedOutput beginStacked(ForOp op, mlir::Value result, mlir::Value trips);
  mlir::LogicalResult emitWhile(WhileOp op);
  mlir::LogicalResult beginCarries(Loop &loop, mlir::ValueRange inits, mlir::ValueRange results);
  void enterHeader(Loop &loop, mlir::ValueRange inits, mlir::ValueRange arguments, mlir::ValueRange results);
  void wishCarries(Loop &loop, mlir::Block *block, mlir::ValueRange yielded);
  mlir::LogicalResult endTrip(Loop &loop, mlir::ValueRange yielded, mlir::ValueRange arguments,
                              mlir::Operation *at);
  mlir::LogicalResult endCarries(Loop &loop, mlir::ValueRange results);
  mlir::Value elementOf(mlir::Value base, mlir::Value index, mlir::Type elementType);
  Slot newSpare(Loop &loop, int64_t bytes);
  void emitPoll();

  // ControlStacks.cpp
  mlir::Value stackSlot();
  mlir::Value stackField(mlir::Value stack, int field, mlir::Type type);
  void setStackLength(mlir::Value stack, mlir::Value length);
  void emitStackCopy(mlir::Value to, mlir::Value from, StackType type, mlir::Location loc);
  void emitStackSwap(mlir::Value a, mlir::Value b);
  /// Address of a new last element.
  mlir::Value emitStackAppend(mlir::Value stack, StackType type, mlir::Location loc);
  void emitStackReserve(mlir::Value stack, StackType type, mlir::Value length, mlir::Location loc);
  mlir::Value stackResult(mlir::Value result);

  // ControlBranches.cpp
  mlir::LogicalResult emitCond(CondOp op);
  Wish chooseCondDestination(CondOp op, unsigned number);
  mlir::LogicalResult emitBranch(CondOp op, mlir::Block &block, llvm::ArrayRef<Wish> destinations,
                                 mlir::Block *after);
  mlir::LogicalResult emitCall(mlir::Operation *op, llvm::StringRef callee, mlir::OperandRange arguments);

  // ControlViews.cpp: reads and updates of parts of arrays.
  mlir::LogicalResult emitReshape(ReshapeOp op);
  mlir::LogicalResult emitSlice(SliceOp op);
  mlir::LogicalResult emitDynamicSlice(DynamicSliceOp op);
  mlir::LogicalResult emitDynamicUpdateSlice(DynamicUpdateSliceOp op);
  mlir::LogicalResult emitStackGet(StackGetOp op);
  mlir::Value windowStart(mlir::ValueRange starts, llvm::ArrayRef<int64_t> sizes,
                          llvm::ArrayRef<int64_t> shape);
  void emitWindow(mlir::Value result, mlir::Value operand, mlir::Value start,
                  llvm::ArrayRef<int64_t> strides);

  // ControlEffects.cpp
  mlir::LogicalResult emitEffect(mlir::Operation *op);
  mlir::LogicalResult emitPrint(PrintOp op);
  mlir::LogicalResult emitCheck(CheckOp op);
  mlir::LogicalResult emitLoad(LoadOp op);
  mlir::LogicalResult emitSave(SaveOp op);
  mlir::LogicalResult emitFileExists(FileExistsOp op);
  /// Array of jxrt_value for the operands.
  mlir::Value formatOperands(mlir::ValueRange operands);
  /// Fills in a jxrt_array for an array at `pointer`.
  void storeDescriptor(mlir::Value descriptor, mlir::RankedTensorType type, mlir::Value pointer);
  void storeField(mlir::Value base, int64_t offset, mlir::Value value);
  mlir::Value shapePointer(llvm::ArrayRef<int64_t> shape);
  mlir::LogicalResult emitHostInt(HostIntOp op);
  mlir::LogicalResult emitHostFloat(HostFloatOp op);
  /// Ends the program with a Python error unless `condition` holds.
  void emitRequire(mlir::Value condition, llvm::StringRef errorClass, llvm::StringRef message);

  // Small pieces of code.
  mlir::Value constantInt(mlir::Type type, int64_t value);
  mlir::Value i64(int64_t value) { return constantInt(b.getI64Type(), value); }
  mlir::Value i32(int64_t value) { return constantInt(b.getI32Type(), value); }
  mlir::Value byteOffset(mlir::Value pointer, mlir::Value bytes);
  mlir::Value byteOffset(mlir::Value pointer, int64_t bytes);
  mlir::Value dataPointer(llvm::StringRef bytes);
  /// NUL-terminated text.
  mlir::Value textPointer(llvm::StringRef text) { return dataPointer(std::string(text) + '\0'); }
  /// "file.jx:12" of the current location.
  mlir::Value wherePointer();
  mlir::Value callRuntime(llvm::StringRef name, mlir::ValueRange arguments, mlir::Type result);
  /// Calls a function that returns a status, and returns it to the caller unless it is JXRT_OK.
  void callChecked(llvm::StringRef name, mlir::ValueRange arguments);
  void returnUnlessOk(mlir::Value status);
  mlir::Block *newBlock(mlir::TypeRange arguments = {});
  void declare(llvm::StringRef name, mlir::TypeRange arguments, mlir::TypeRange results);

  ControlProgram &program;
  mlir::func::FuncOp source;
  ControlUnit &unit;
  double calls;
  Liveness liveness;
  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::Type pointerType;
  mlir::func::FuncOp target;
  mlir::Value context, frame;
  mlir::Block *entry = nullptr;
  mlir::Block *failure = nullptr; ///< returns its argument
  llvm::SmallVector<mlir::Value> resultPointers;
  llvm::SmallVector<Buffer *> claimed; ///< destinations of the op that is being emitted
  llvm::DenseMap<mlir::Value, Place> places;
  llvm::DenseMap<mlir::Value, Wish> wishes;
  std::deque<Buffer> buffers;
  int64_t frameBytes = 0;
};

} // namespace jx
