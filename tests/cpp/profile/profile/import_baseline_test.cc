#include "profile/import_baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace memprof {
namespace {

const char kImportlib[] = "<frozen importlib._bootstrap>";
const HasFile kNoFile = [](const std::string&) { return false; };

// A session whose sites have stacks of (function, file), outermost first.
class Session {
 public:
  void Add(const std::vector<std::pair<std::string, std::string>>& stack, uint64_t live) {
    uint32_t parent = 0;
    for (const auto& [function, file] : stack) {
      BoxFrame frame;
      frame.language = Language::kPython;
      frame.function = function;
      frame.file = file;
      session_.frames.push_back(frame);
      session_.stacks.push_back({parent, static_cast<uint32_t>(session_.frames.size() - 1)});
      parent = static_cast<uint32_t>(session_.stacks.size());
    }
    BoxSite site;
    site.stack = parent;
    site.live_bytes = live;
    session_.sites.push_back(site);
  }
  std::vector<ImportedModule> Modules() const { return ImportedModulesOf({&session_}, kNoFile); }
  BoxSession& session() { return session_; }

 private:
  BoxSession session_;
};

auto Row(const char* name, uint64_t live, uint64_t with_imports) {
  return testing::AllOf(testing::Field(&ImportedModule::name, name), testing::Field(&ImportedModule::live_bytes, live),
                        testing::Field(&ImportedModule::with_imports_bytes, with_imports));
}

TEST(ImportBaseline, AnImportIsTheInnermostModulesWhoseCodeRuns) {
  const std::string pandas = "/v/lib/python3.11/site-packages/pandas/__init__.py", numpy = "/v/lib/python3.11/site-packages/numpy/x.py";
  Session session;
  session.Add({{"udf", "/jobs/job.py"}, {"_find_and_load", kImportlib}, {"<module>", pandas}, {"f", pandas}}, 1003);
  session.Add(
      {{"udf", "/jobs/job.py"}, {"_find_and_load", kImportlib}, {"<module>", pandas}, {"_find_and_load", kImportlib}, {"<module>", numpy}},
      20'001);
  session.Add({{"udf", "/jobs/job.py"}, {"_find_and_load", kImportlib}, {"<module>", pandas}, {"get_code", kImportlib}}, 107);
  EXPECT_THAT(session.Modules(), testing::ElementsAre(Row("numpy", 20'001, 20'001), Row("pandas", 1110, 21'111)));
}

TEST(ImportBaseline, AScriptAndAFunctionImportNothing) {
  Session session;
  session.Add({{"<module>", "/jobs/job.py"}, {"udf", "/jobs/job.py"}}, 9'000'001);
  session.Add({{"udf", "/jobs/job.py"}, {"get_data", "<frozen importlib._bootstrap_external>"}}, 5003);
  session.Add({{"<module>", "/jobs/job.py"}, {"_find_and_load", kImportlib}, {"<module>", "/jobs/helper.py"}}, 77);
  session.session().sites.push_back({});  // no stack
  session.session().stacks.push_back({900, 900});
  session.session().sites.back().stack = static_cast<uint32_t>(session.session().stacks.size());
  session.session().sites.back().live_bytes = 5;
  EXPECT_THAT(session.Modules(), testing::ElementsAre(Row("helper", 77, 77)));
}

TEST(ImportBaseline, WhatFindsNoRowGoesToTheOthers) {
  Session session;
  for (uint64_t i = 1; i <= 22; ++i) {
    session.Add({{"_find_and_load", kImportlib}, {"<module>", "/jobs/m" + std::to_string(i) + ".py"}}, 1000 * i);
  }
  const std::vector<ImportedModule> modules = session.Modules();
  ASSERT_EQ(modules.size(), 17u);
  EXPECT_THAT(modules.front(), Row("m22", 22'000, 22'000));
  EXPECT_THAT(modules.back(), Row("others", 21'000, 21'000));
}

TEST(ImportBaseline, TopLevelModules) {
  const HasFile packages = [](const std::string& path) { return path == "/w/odd/__init__.py" || path == "/w/odd/deep/__init__.py"; };
  const auto top = [&](const char* file) { return TopLevelModuleOf(file, packages); };
  EXPECT_EQ(top("/v/lib/python3.11/site-packages/numpy/core/__init__.py"), "numpy");
  EXPECT_EQ(top("/usr/lib/python3/dist-packages/six.py"), "six");
  EXPECT_EQ(top("/usr/lib64/python3.9/json/decoder.py"), "json");
  EXPECT_EQ(top("/srv/pex/installed_wheels/5a/pandas-1.5.3-cp311.whl/pandas/core/frame.py"), "pandas");
  EXPECT_EQ(top("/opt/spark/python/lib/pyspark.zip/pyspark/worker.py"), "pyspark");
  EXPECT_EQ(top("/usr/lib/python3.11/json/decoder.py"), "json");
  EXPECT_EQ(top("/usr/lib/python3.11/typing.py"), "typing");
  EXPECT_EQ(top("<frozen os>"), "os");
  EXPECT_EQ(top("/w/helper.py"), "helper");
  EXPECT_EQ(top("/w/odd/deep/mod.py"), "odd");
  EXPECT_EQ(top("/w/odd/__init__.py"), "odd");
  EXPECT_EQ(top("/gone/helpers/__init__.py"), "helpers");
  EXPECT_EQ(top("job.py"), "job");
  EXPECT_EQ(top(""), "");
}

}  // namespace
}  // namespace memprof
