// Index arithmetic of kernels, on i64.
#include "compiler/lowering/ElementIndex.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace jx {

void appendKey(MemoKey &key, const Index &index) {
  key.push_back(reinterpret_cast<uint64_t>(index.value.getAsOpaquePointer()));
  key.push_back(static_cast<uint64_t>(index.constant));
  key.push_back(index.lane);
}

void appendKey(MemoKey &key, const Position &position) {
  for (const Factor &factor : position) {
    key.push_back(static_cast<uint64_t>(factor.size));
    appendKey(key, factor.index);
  }
}

Position positionOf(ArrayRef<int64_t> sizes, ArrayRef<Index> indices) {
  Position position;
  for (auto [size, index] : llvm::zip_equal(sizes, indices))
    if (size != 1) position.push_back({size, index});
  return position;
}

void IndexBuilder::closeScope() {
  for (size_t i = marks.back(); i < log.size(); ++i) memo.erase(log[i]);
  log.resize(marks.back());
  marks.pop_back();
}

Value IndexBuilder::memoised(uint64_t kind, Value x, uint64_t y, llvm::function_ref<Value()> make) {
  MemoKey key{kind, reinterpret_cast<uint64_t>(x.getAsOpaquePointer()), y};
  auto found = memo.find(key);
  if (found != memo.end()) return found->second;
  Value value = make();
  memo.emplace(key, value);
  log.push_back(std::move(key));
  return value;
}

Value IndexBuilder::constant(int64_t value) {
  return memoised(0, {}, static_cast<uint64_t>(value),
                  [&] { return arith::ConstantIntOp::create(b, loc, value, 64).getResult(); });
}

Value IndexBuilder::base(Index x) {
  if (!x.value) return constant(x.constant);
  if (x.constant == 0) return x.value;
  return memoised(1, x.value, static_cast<uint64_t>(x.constant), [&] {
    return arith::AddIOp::create(b, loc, x.value, constant(x.constant), arith::IntegerOverflowFlags::nsw)
        .getResult();
  });
}

Index IndexBuilder::add(Index x, Index y) {
  if (x.lane && y.lane) lost = true;
  Index sum{x.value, x.constant + y.constant, x.lane || y.lane};
  if (!sum.value) {
    sum.value = y.value;
  } else if (y.value) {
    uint64_t other = reinterpret_cast<uint64_t>(y.value.getAsOpaquePointer());
    sum.value = memoised(2, x.value, other, [&] {
      return arith::AddIOp::create(b, loc, x.value, y.value, arith::IntegerOverflowFlags::nsw).getResult();
    });
  }
  return sum;
}

Index IndexBuilder::mul(Index x, int64_t factor) {
  if (factor == 1) return x;
  if (factor == 0) return Index::of(0);
  if (x.lane) lost = true;
  Index product{{}, x.constant * factor, false};
  if (x.value)
    product.value = memoised(3, x.value, static_cast<uint64_t>(factor), [&] {
      return arith::MulIOp::create(b, loc, x.value, constant(factor), arith::IntegerOverflowFlags::nsw)
          .getResult();
    });
  return product;
}

Index IndexBuilder::div(Index x, int64_t divisor) {
  if (divisor == 1) return x;
  if (x.isConstant()) return Index::of(x.constant / divisor);
  if (x.lane) lost = true;
  Value dividend = base(x);
  return {memoised(4, dividend, static_cast<uint64_t>(divisor),
                   [&] { return arith::DivUIOp::create(b, loc, dividend, constant(divisor)).getResult(); }),
          0, false};
}

Index IndexBuilder::rem(Index x, int64_t divisor) {
  if (divisor == 1) return Index::of(0);
  if (x.isConstant()) return Index::of(x.constant % divisor);
  if (x.lane) lost = true;
  Value dividend = base(x);
  return {memoised(5, dividend, static_cast<uint64_t>(divisor),
                   [&] { return arith::RemUIOp::create(b, loc, dividend, constant(divisor)).getResult(); }),
          0, false};
}

Index IndexBuilder::linear(ArrayRef<Factor> position) {
  Index sum = Index::of(0);
  int64_t stride = 1;
  for (const Factor &factor : llvm::reverse(position)) {
    sum = add(mul(factor.index, stride), sum);
    stride *= factor.size;
  }
  return sum;
}

SmallVector<Index, 4> IndexBuilder::split(ArrayRef<Factor> position, ArrayRef<int64_t> sizes) {
  SmallVector<Index, 4> indices(sizes.size(), Index::of(0));
  // Innermost first: the shortest runs of factors and of dimensions that hold equally many elements.
  size_t factorEnd = position.size(), dimEnd = sizes.size();
  while (dimEnd > 0) {
    size_t factorBegin = factorEnd, dimBegin = dimEnd - 1;
    int64_t dimElements = sizes[dimBegin], factorElements = 1;
    if (dimElements == 1) {
      --dimEnd;
      continue;
    }
    while (factorElements != dimElements) {
      if (factorElements < dimElements && factorBegin > 0)
        factorElements *= position[--factorBegin].size;
      else
        dimElements *= sizes[--dimBegin];
    }
    Index rest = linear(position.slice(factorBegin, factorEnd - factorBegin));
    for (size_t dim = dimEnd; dim-- > dimBegin;) {
      if (sizes[dim] == 1) continue;
      bool last = true;
      for (size_t outer = dimBegin; outer < dim; ++outer) last &= sizes[outer] == 1;
      indices[dim] = last ? rest : rem(rest, sizes[dim]);
      if (!last) rest = div(rest, sizes[dim]);
      if (last) break;
    }
    factorEnd = factorBegin;
    dimEnd = dimBegin;
  }
  return indices;
}

} // namespace jx
