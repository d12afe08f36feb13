// Accuracy of the elementary functions: f32 over the whole range of bits with a stride, against the C library
// in double; f64 on random bits and on the interesting interval, against long double.
#include "compiler/numerics/Basic.h"
#include "compiler/numerics/Special.h"
#include "gtest/gtest.h"
#include <random>

namespace jx::num {
namespace {

constexpr double wrong = 1e9;

/// Distance in units of the last place of the exact value; where that overflows or vanishes, of the nearest
/// float.
template <class T, class Exact> double ulps(T got, Exact exact) {
  if (std::isnan(exact)) return std::isnan(got) ? 0 : wrong;
  T rounded = T(exact);
  if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0 : wrong;
  if (exact == 0 && got == 0) return 0;
  int exponent;
  std::frexp(rounded == 0 ? std::numeric_limits<T>::denorm_min() : rounded, &exponent);
  int last = std::max(exponent - std::numeric_limits<T>::digits,
                      std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits);
  return double(std::fabs(Exact(got) - exact) / std::ldexp(Exact(1), last));
}

struct Function {
  const char *name;
  float (*f32)(float);
  double (*f64)(double);
  double (*exactF32)(double);
  long double (*exactF64)(long double);
  double low, high; ///< the interval for f64
  double limitF32, limitF64;
};

#define JX_FUNCTION(name, exact, low, high, limitF32, limitF64)                                              \
  Function {                                                                                                 \
    #name, [](float x) { return num::name(x); }, [](double x) { return num::name(x); },                      \
        [](double x) -> double { return exact; }, [](long double x) -> long double { return exact; }, low,   \
        high, limitF32, limitF64                                                                             \
  }
const Function functions[] = {
    JX_FUNCTION(exp, std::exp(x), -20, 20, 1, 1),
    JX_FUNCTION(exp2, std::exp2(x), -20, 20, 1, 1),
    JX_FUNCTION(expm1, std::expm1(x), -2, 2, 2, 2),
    JX_FUNCTION(log, std::log(x), 0, 3, 1, 1),
    JX_FUNCTION(log1p, std::log1p(x), -1, 3, 2, 2),
    JX_FUNCTION(logistic, 1 / (1 + std::exp(-x)), -9, 9, 2.5, 2.5),
    JX_FUNCTION(tanh, std::tanh(x), -3, 3, 3, 3),
    JX_FUNCTION(sin, std::sin(x), -9, 9, 1, 1),
    JX_FUNCTION(cos, std::cos(x), -9, 9, 1, 1),
    JX_FUNCTION(tan, std::tan(x), -9, 9, 1, 1),
    JX_FUNCTION(asin, std::asin(x), -1, 1, 1, 2),
    JX_FUNCTION(acos, std::acos(x), -1, 1, 1, 2),
    JX_FUNCTION(atan, std::atan(x), -9, 9, 1, 2),
    JX_FUNCTION(sinh, std::sinh(x), -4, 4, 1, 3),
    JX_FUNCTION(cosh, std::cosh(x), -4, 4, 1, 3),
    JX_FUNCTION(asinh, std::asinh(x), -4, 4, 1, 3),
    JX_FUNCTION(acosh, std::acosh(x), 1, 4, 1, 3),
    JX_FUNCTION(atanh, std::atanh(x), -1, 1, 1, 3),
    JX_FUNCTION(erf, std::erf(x), -3, 3, 1, 2),
    JX_FUNCTION(erfc, std::erfc(x), -3, 20, 1, 5),
    JX_FUNCTION(cbrt, std::cbrt(x), -9, 9, 1, 4),
    JX_FUNCTION(rsqrt, 1 / std::sqrt(x), 0, 9, 2, 2),
};

class Ulp : public testing::TestWithParam<Function> {};

TEST_P(Ulp, F32OverAllBits) {
  const Function &function = GetParam();
  constexpr uint64_t stride = 20011;
  double worst = 0;
  float at = 0;
  auto visit = [&](float x) {
    double exact = function.exactF32(x), error = ulps(function.f32(x), exact);
    if (exact == 0 && std::signbit(exact) != std::signbit(function.f32(x))) error = wrong;
    if (error > worst) worst = error, at = x;
  };
  for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += stride)
    visit(std::bit_cast<float>(uint32_t(bits)));
  for (float x : {0.0f, 0.5f, 1.0f, 2.0f, 0x1p-149f, 0x1p-126f, 0x1.fffffep127f, INFINITY, NAN})
    visit(x), visit(-x);
  EXPECT_LE(worst, function.limitF32)
      << "at " << at << ": " << function.f32(at) << " instead of " << function.exactF32(at);
}

TEST_P(Ulp, F64Sampled) {
  const Function &function = GetParam();
  std::mt19937_64 random(1);
  std::uniform_real_distribution<> inside(function.low, function.high);
  double worst = 0, at = 0;
  auto visit = [&](double x) {
    double error = ulps(function.f64(x), function.exactF64(x));
    if (error > worst) worst = error, at = x;
  };
  for (int i = 0; i < 20000; ++i) visit(std::bit_cast<double>(random())), visit(inside(random));
  for (double x : {0.0, 0.5, 1.0, 2.0, 0x1p-1074, 0x1p-1022, double(INFINITY), double(NAN)})
    visit(x), visit(-x);
  EXPECT_LE(worst, function.limitF64) << "at " << at << ": " << function.f64(at);
}

INSTANTIATE_TEST_SUITE_P(, Ulp, testing::ValuesIn(functions),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(Pow, WithinOneUlp) {
  std::mt19937 random(2);
  std::uniform_real_distribution<float> base(0, 3), exponent(-60, 60);
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    float x = std::bit_cast<float>(uint32_t(random())), y = std::bit_cast<float>(uint32_t(random()));
    worst = std::max(worst, ulps(pow(x, y), std::pow(double(x), double(y))));
    x = base(random), y = exponent(random);
    worst = std::max(worst, ulps(pow(x, y), std::pow(double(x), double(y))));
  }
  EXPECT_LE(worst, 1.0);
}

TEST(Pow, F64WithinTwoUlp) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> base(0, 3), exponent(-500, 500);
  double worst = 0;
  for (int i = 0; i < 100000; ++i) {
    double x = base(random), y = exponent(random);
    worst = std::max(worst, ulps(pow(x, y), std::pow((long double)x, (long double)y)));
  }
  EXPECT_LE(worst, 2.0);
}

/// Equal to two units of the last place; signs of zeros and infinities count.
template <class T> bool same(T a, T b) {
  if (std::isnan(b) || b == 0 || std::isinf(b))
    return std::isnan(b) ? std::isnan(a) : a == b && std::signbit(a) == std::signbit(b);
  return ulps(a, b) <= 2;
}

/// C's conventions at the special points are the C library's.
TEST(TwoArguments, SpecialPoints) {
  const double points[] = {0.0,      -0.0,      1,   -1, 2,  -2,    0.5,      -0.5,
                           INFINITY, -INFINITY, NAN, 3,  -3, 1e300, 0x1p-1074};
  for (double x : points)
    for (double y : points) {
      EXPECT_PRED2(same<double>, pow(x, y), std::pow(x, y)) << x << " ** " << y;
      EXPECT_PRED2(same<float>, pow(float(x), float(y)), std::pow(float(x), float(y))) << x << " ** " << y;
      EXPECT_PRED2(same<double>, atan2(x, y), std::atan2(x, y)) << x << ", " << y;
      EXPECT_PRED2(same<double>, nextafter(x, y), std::nextafter(x, y)) << x << ", " << y;
    }
}

TEST(ErfInv, InvertsErf) {
  for (double x = -0.999; x < 1; x += 0.00371) {
    EXPECT_NEAR(std::erf(erfInv(x)), x, 4e-16);
    EXPECT_NEAR(std::erf(double(erfInv(float(x)))), float(x), 3e-7);
  }
  for (double q = 1e-2; q > 1e-15; q /= 7) EXPECT_NEAR(std::erfc(erfInv(1 - q)) / (1 - (1 - q)), 1, 1e-13);
  EXPECT_EQ(erfInv(1.0f), INFINITY);
  EXPECT_EQ(erfInv(-1.0), -INFINITY);
  EXPECT_TRUE(std::isnan(erfInv(1.5f)) && std::isnan(erfInv(-2.0)));
}

/// Within 4 ULP, or 4e-7 of an absolute error about zeros.
TEST(Gamma, LogOfGamma) {
  for (float x = -40.3f; x < 60; x += 0.0137f) {
    double exact = std::lgamma(double(x));
    EXPECT_TRUE(ulps(lgamma(x), exact) <= 1 || std::fabs(lgamma(x) - exact) < 4e-7) << x;
  }
  EXPECT_EQ(lgamma(0.0f), INFINITY);
  EXPECT_EQ(lgamma(-3.0f), INFINITY);
  EXPECT_EQ(lgamma(1e38f), INFINITY);
}

/// psi(x + 1) = psi(x) + 1 / x, and psi_n(x + 1) = psi_n(x) + (-1)^n n! / x^(n + 1).
TEST(Gamma, DerivativesObeyTheirRecurrences) {
  EXPECT_NEAR(digamma(1.0), -0.57721566490153286, 1e-15);
  EXPECT_NEAR(polygamma(1, 1.0), pi * pi / 6, 1e-14);
  for (double x = -3.95; x < 20; x += 0.173) {
    EXPECT_NEAR(digamma(x + 1), digamma(x) + 1 / x,
                1e-13 * (1 + std::fabs(1 / x)) + 1e-12 * std::fabs(digamma(x)));
    for (int n : {1, 2, 3}) {
      double step = (n % 2 ? -1 : 1) * std::tgamma(n + 1.0) / std::pow(x, n + 1);
      EXPECT_NEAR(polygamma(n, x + 1), polygamma(n, x) + step,
                  1e-12 * (std::fabs(polygamma(n, x)) + std::fabs(step)));
    }
  }
}

} // namespace
} // namespace jx::num
