// Clustering: groups the pure array ops of each block into kernels.
//
// Ops are visited from last to first; each joins the cluster of its users where reading it there is no more
// work than reading it from memory: elementwise producers of the same elements (also where others need the
// value: it becomes one more output), cheap producers of broadcasts, and around reductions of rows whatever
// works on the same rows (softmax, layer normalisation, losses). Contractions, sorts and updates stand alone
// with what costs nothing to read. No cluster may depend on itself through ops outside of it, and none has
// members on both sides of a fence.
#include "compiler/lowering/ClusterCost.h"
#include "compiler/lowering/KernelBody.h"
#include "compiler/lowering/Kernels.h"
#include "compiler/ops/effect/Fences.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace jx {
namespace {

/// Rows longer than this are not kept on the stack between the passes over them.
constexpr int64_t kLongestRow = 16384;

int64_t elementsOf(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }

struct Cluster {
  enum Kind { Loop, Rows, Reduction, Alone } kind;
  int64_t elements;              ///< of the iteration space
  int64_t stretch;               ///< between which fences of the block
  int64_t rows = 0, rowSize = 0; ///< Rows only
  llvm::SetVector<Operation *> members;
};

/// One read of a value by a cluster, through free ops.
struct Read {
  Operation *user;
  Use use;
};

class BlockClusters {
public:
  explicit BlockClusters(Block &block) : block(block) {}
  void run();

private:
  bool isCandidate(Operation *op) { return isKernelOp(op) && !isFree(op) && !evaluatedByControl(op); }
  void findReads(Value value, Use use, SmallVectorImpl<Read> &reads, bool &outside);
  bool joins(Operation *op, Cluster &cluster, ArrayRef<Read> reads, bool exclusive);
  bool joinsReduction(Operation *op, Cluster &cluster, ArrayRef<Read> reads);
  bool makesCycle(Operation *op, int cluster, ArrayRef<Operation *> outsideUsers);
  void assign(Operation *op);
  int start(Operation *op, Cluster::Kind kind, int64_t elements);
  void build();
  Operation *buildKernel(Cluster &cluster);
  void buildFree();

  Block &block;
  std::vector<Cluster> clusters;
  llvm::DenseMap<Operation *, int> clusterOf;
  llvm::DenseMap<Operation *, int64_t> stretchOf; ///< of ops after the first fence
};

/// The reads of `value` by clusters, and whether anything else uses it. The use is the worst one on the way.
void BlockClusters::findReads(Value value, Use use, SmallVectorImpl<Read> &reads, bool &outside) {
  for (OpOperand &operand : value.getUses()) {
    Operation *user = operand.getOwner();
    if (user->getBlock() != &block || user->hasTrait<OpTrait::IsTerminator>()) {
      outside = true;
      continue;
    }
    Use here = std::max(use, useOf(user, operand.getOperandNumber()));
    if (isFree(user)) {
      findReads(user->getResult(0), here, reads, outside);
      continue;
    }
    if (!clusterOf.contains(user))
      outside = true;
    else
      reads.push_back({user, here});
  }
}

int BlockClusters::start(Operation *op, Cluster::Kind kind, int64_t elements) {
  clusters.push_back({kind, elements, stretchOf.lookup(op), 0, 0, {}});
  clusters.back().members.insert(op);
  return clusterOf[op] = static_cast<int>(clusters.size()) - 1;
}

/// Whether from users of `op` outside the cluster a path leads back into it.
bool BlockClusters::makesCycle(Operation *op, int cluster, ArrayRef<Operation *> outsideUsers) {
  llvm::DenseSet<Operation *> seen;
  SmallVector<Operation *> work(outsideUsers.begin(), outsideUsers.end());
  while (!work.empty()) {
    Operation *next = work.pop_back_val();
    if (!next || !seen.insert(next).second) continue;
    auto found = clusterOf.find(next);
    if (found != clusterOf.end() && found->second == cluster) return true;
    auto follow = [&](Operation *from) {
      for (Operation *user : from->getUsers())
        if (Operation *inBlock = block.findAncestorOpInBlock(*user)) work.push_back(inBlock);
    };
    follow(next);
    if (found != clusterOf.end())
      for (Operation *member : clusters[static_cast<size_t>(found->second)].members)
        if (seen.insert(member).second) follow(member);
    // Effects happen in order: what follows an effect may depend on it.
    if (!isMemoryEffectFree(next))
      for (Operation *later = next->getNextNode(); later; later = later->getNextNode())
        if (!isMemoryEffectFree(later)) {
          work.push_back(later);
          break;
        }
  }
  return false;
}

bool BlockClusters::joinsReduction(Operation *op, Cluster &cluster, ArrayRef<Read> reads) {
  std::optional<RowReduction> row = rowReduction(op);
  if (!row || row->size > kLongestRow || row->size < 2) return false;
  if (cluster.kind == Cluster::Rows && (cluster.rows != row->rows || cluster.rowSize != row->size))
    return false;
  if (cluster.kind == Cluster::Loop && cluster.elements != row->rows &&
      cluster.elements != row->rows * row->size)
    return false;
  if (cluster.kind != Cluster::Rows && cluster.kind != Cluster::Loop) return false;
  return llvm::all_of(reads, [](const Read &read) { return read.use == Use::Same || read.use == Use::Row; });
}

bool BlockClusters::joins(Operation *op, Cluster &cluster, ArrayRef<Read> reads, bool exclusive) {
  if (isCompound(op)) return joinsReduction(op, cluster, reads);
  // A contraction reads its operands in any order of dimensions.
  if (isa<TransposeOp>(op) && exclusive &&
      llvm::all_of(reads, [](const Read &read) { return isa<DotGeneralOp>(read.user); }))
    return true;
  if (!isContiguousRead(op)) return false;
  Use worst = Use::Same;
  for (const Read &read : reads) worst = std::max(worst, read.use);
  int64_t elements = elementsOf(op->getResult(0));
  switch (cluster.kind) {
  case Cluster::Rows:
    if (elements == cluster.elements) return worst == Use::Same;
    if (elements == cluster.rows) return worst <= Use::Row;
    break;
  case Cluster::Loop:
    if (elements == cluster.elements && worst == Use::Same) return true;
    // Computed once a row: the inner loop does not repeat it.
    if (worst == Use::Row && exclusive) return true;
    break;
  case Cluster::Reduction:
    if (elements == cluster.elements && worst == Use::Same) return exclusive;
    break;
  case Cluster::Alone:
    return worst == Use::Once && exclusive && reads.size() == 1;
  }
  // At another position, or as part of a smaller array: recomputed where it is read, if that is cheap.
  return exclusive && reads.size() == 1 && (worst == Use::Once || (worst != Use::Memory && isCheap(op)));
}

void BlockClusters::assign(Operation *op) {
  SmallVector<Read> reads;
  bool outside = false;
  for (Value result : op->getResults()) findReads(result, Use::Same, reads, outside);
  llvm::MapVector<int, SmallVector<Read>> byCluster;
  for (const Read &read : reads) byCluster[clusterOf[read.user]].push_back(read);
  for (auto &[number, own] : byCluster) {
    Cluster &cluster = clusters[static_cast<size_t>(number)];
    bool exclusive = !outside && byCluster.size() == 1;
    if (cluster.stretch != stretchOf.lookup(op) || !joins(op, cluster, own, exclusive)) continue;
    if (!exclusive) {
      SmallVector<Operation *> others;
      for (Operation *user : op->getUsers())
        if (Operation *inBlock = block.findAncestorOpInBlock(*user))
          if (!clusterOf.contains(inBlock) || clusterOf[inBlock] != number) others.push_back(inBlock);
      // Free ops are copied into the cluster: only their other readers lead out of it.
      SmallVector<Operation *> leading;
      llvm::DenseSet<Operation *> seen;
      while (!others.empty()) {
        Operation *user = others.pop_back_val();
        if (!seen.insert(user).second) continue;
        if (!isFree(user)) {
          if (!clusterOf.contains(user) || clusterOf[user] != number) leading.push_back(user);
          continue;
        }
        for (Operation *next : user->getUsers())
          if (Operation *inBlock = block.findAncestorOpInBlock(*next)) others.push_back(inBlock);
      }
      if (makesCycle(op, number, leading)) continue;
    }
    if (auto row = rowReduction(op); row && isCompound(op)) {
      cluster.kind = Cluster::Rows;
      cluster.rows = row->rows;
      cluster.rowSize = row->size;
      cluster.elements = row->rows * row->size;
    }
    cluster.members.insert(op);
    clusterOf[op] = number;
    return;
  }
  if (isa<ReduceOp, ArgReduceOp>(op))
    start(op, Cluster::Reduction, elementsOf(op->getOperand(0)));
  else if (isCompound(op))
    start(op, Cluster::Alone, 0);
  else
    start(op, Cluster::Loop, elementsOf(op->getResult(0)));
}

/// Whether anyone but the cluster reads the value: free ops count by who reads them.
static bool isReadOutside(Value value, const Cluster &cluster) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (cluster.members.contains(user)) return false;
    return !isFree(user) || isReadOutside(user->getResult(0), cluster);
  });
}

/// A kernel of the cluster's ops, with copies of the free ops that they read, at the end of the block's ops
/// so far.
Operation *BlockClusters::buildKernel(Cluster &cluster) {
  SmallVector<Operation *> members(cluster.members.begin(), cluster.members.end());
  llvm::sort(members, [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
  llvm::SetVector<Operation *> copies;
  llvm::SetVector<Value> inputs;
  std::function<void(Value)> need = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && cluster.members.contains(op)) return;
    if (op && isFree(op)) {
      if (copies.contains(op)) return;
      for (Value operand : op->getOperands()) need(operand);
      copies.insert(op);
      return;
    }
    inputs.insert(value);
  };
  for (Operation *member : members)
    for (Value operand : member->getOperands()) need(operand);
  SmallVector<Value> outputs;
  for (Operation *member : members)
    for (Value result : member->getResults())
      if (isReadOutside(result, cluster)) outputs.push_back(result);
  OpBuilder b(members.back());
  SmallVector<Type> types;
  for (Value output : outputs) types.push_back(output.getType());
  SmallVector<Value> operands(inputs.begin(), inputs.end());
  auto kernel = KernelOp::create(b, members.back()->getLoc(), types, operands, DenseI64ArrayAttr());
  Block *body = new Block();
  kernel.getBody().push_back(body);
  IRMapping map;
  for (Value input : operands) map.map(input, body->addArgument(input.getType(), input.getLoc()));
  b.setInsertionPointToEnd(body);
  // Members and copies in an order in which each comes after what it reads.
  llvm::DenseSet<Operation *> done;
  std::function<void(Operation *)> place = [&](Operation *op) {
    if (!done.insert(op).second) return;
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        if (!map.contains(operand) && (cluster.members.contains(producer) || copies.contains(producer)))
          place(producer);
    b.clone(*op, map);
  };
  for (Operation *member : members) place(member);
  SmallVector<Value> yielded;
  for (Value output : outputs) yielded.push_back(map.lookup(output));
  YieldOp::create(b, kernel.getLoc(), yielded);
  for (auto [output, result] : llvm::zip_equal(outputs, kernel.getResults()))
    output.replaceAllUsesWith(result);
  for (Operation *member : llvm::reverse(members)) {
    member->dropAllUses();
    member->erase();
  }
  return kernel;
}

/// Free ops that something other than a kernel reads, and that the control program does not evaluate.
void BlockClusters::buildFree() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (!isFree(&op)) continue;
    if (op.use_empty()) {
      op.erase();
      continue;
    }
    if (evaluatedByControl(&op) || isa<ConstantOp>(op)) continue;
    clusters.push_back({Cluster::Loop, elementsOf(op.getResult(0)), 0, 0, 0, {}});
    clusters.back().members.insert(&op);
    buildKernel(clusters.back());
  }
}

void BlockClusters::build() {
  for (Cluster &cluster : clusters) buildKernel(cluster);
  buildFree();
  // Kernels stand where their last member stood; ops that read them earlier come after them now.
  SmallVector<Operation *> order;
  llvm::DenseSet<Operation *> placed;
  SmallVector<Operation *> effects;
  for (Operation &op : block)
    if (!isMemoryEffectFree(&op)) effects.push_back(&op);
  size_t nextEffect = 0;
  std::function<void(Operation *)> place = [&](Operation *op) {
    if (placed.contains(op)) return;
    if (!isMemoryEffectFree(op))
      while (nextEffect < effects.size() && effects[nextEffect] != op) place(effects[nextEffect++]);
    if (!placed.insert(op).second) return;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          if (Operation *inBlock = block.findAncestorOpInBlock(*producer); inBlock && inBlock != op)
            place(inBlock);
    });
    order.push_back(op);
  };
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>()) place(&op);
  Operation *terminator = block.mightHaveTerminator() ? block.getTerminator() : nullptr;
  for (Operation *op : order) {
    if (terminator)
      op->moveBefore(terminator);
    else
      op->moveBefore(&block, block.end());
  }
}

void BlockClusters::run() {
  int64_t stretch = 0;
  for (Operation &op : block) {
    stretch += isFence(&op);
    if (stretch) stretchOf[&op] = stretch;
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (op.use_empty() && isMemoryEffectFree(&op) && !op.hasTrait<OpTrait::IsTerminator>()) {
      op.erase();
      continue;
    }
    if (isCandidate(&op)) assign(&op);
  }
  build();
}

} // namespace

LogicalResult clusterKernels(ModuleOp module) {
  SmallVector<Block *> blocks;
  module.walk([&](Block *block) {
    if (isa<ModuleOp, KernelOp>(block->getParentOp())) return;
    blocks.push_back(block);
  });
  for (Block *block : blocks) BlockClusters(*block).run();
  return success();
}

} // namespace jx
