#include "report/file_titles.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

TEST(FileTitles, AsMuchOfThePathAsTellsThemApart) {
  using Titles = std::map<std::string, std::string>;
  EXPECT_EQ(DistinctFileTitles({"/jobs/a.py", "/jobs/b.py"}), (Titles{{"/jobs/a.py", "a.py"}, {"/jobs/b.py", "b.py"}}));
  EXPECT_EQ(DistinctFileTitles({"/x/etl/utils.py", "/x/web/utils.py", "/x/job.py"}),
            (Titles{{"/x/etl/utils.py", "etl/utils.py"}, {"/x/web/utils.py", "web/utils.py"}, {"/x/job.py", "job.py"}}));
  EXPECT_EQ(DistinctFileTitles({"/x/a/same/utils.py", "/x/b/same/utils.py", "/x/b/other/utils.py"}),
            (Titles{{"/x/a/same/utils.py", "a/same/utils.py"},
                    {"/x/b/same/utils.py", "b/same/utils.py"},
                    {"/x/b/other/utils.py", "b/other/utils.py"}}));
  EXPECT_EQ(DistinctFileTitles({"utils.py", "/utils.py", "b/utils.py"}),
            (Titles{{"utils.py", "utils.py"}, {"/utils.py", "/utils.py"}, {"b/utils.py", "b/utils.py"}}));
  EXPECT_EQ(DistinctFileTitles({"/a/lib/python3.11/site-packages/p/q.py", "/b/lib/python3.11/site-packages/p/q.py"}).begin()->second,
            "a/lib/python3.11/site-packages/p/q.py");
  EXPECT_EQ(DistinctFileTitles({""}), (Titles{{"", ""}}));
}

}  // namespace
}  // namespace memprof
