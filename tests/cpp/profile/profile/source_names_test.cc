#include "profile/source_names.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

TEST(SourceNames, FilesInTheWorkingDirectoryAreNamedRelativeToIt) {
  EXPECT_EQ(SourceName("/srv/app-1/0/helpers.py", "/srv/app-1/0"), "helpers.py");
  EXPECT_EQ(SourceName("/srv/app-1/0/./helpers.py", "/srv/app-1/0"), "helpers.py");
  EXPECT_EQ(SourceName("./helpers.zip/helpers/mod.py", "/srv/app-1/0"), "helpers.zip/helpers/mod.py");
  EXPECT_EQ(SourceName("/srv/app-1/01/helpers.py", "/srv/app-1/0"), "/srv/app-1/01/helpers.py");
  EXPECT_EQ(SourceName("/helpers.py", "/"), "/helpers.py");
  EXPECT_EQ(SourceName("/opt/jobs/job.py", ""), "/opt/jobs/job.py");
}

TEST(SourceNames, WhatIsShippedHasTheSameNameOnEveryExecutor) {
  for (const char* folder : {"/tmp/spark-5f/userFiles-81/", "/mnt/x/spark-77/userFiles-90/", "/data/usercache/ann/filecache/11/",
                             "/d2/usercache/ann/appcache/application_1_0007/filecache/204/"}) {
    EXPECT_EQ(SourceName(std::string(folder) + "helpers.py", "/srv"), "helpers.py") << folder;
    EXPECT_EQ(SourceName(std::string(folder) + "helpers.zip/helpers/mod.py", "/srv"), "helpers.zip/helpers/mod.py") << folder;
    EXPECT_EQ(SourceName(std::string(folder) + "env.tar.gz/lib/odd.py", "/srv"), "env.tar.gz/lib/odd.py") << folder;
  }
  EXPECT_EQ(SourceName("/tmp/sparkmemprof-7/app-1/python-3123987/sparkmemprof/worker.py", "/srv"), "sparkmemprof/worker.py");
  EXPECT_EQ(SourceName("/opt/python-3/sparkmemproof/worker.py", "/srv"), "/opt/python-3/sparkmemproof/worker.py");
  EXPECT_EQ(SourceName("/tmp/userFiles-1/", ""), "/tmp/userFiles-1/");
  EXPECT_EQ(SourceName("/mnt/usercache/ann/filecache/mine/job.py", ""), "/mnt/usercache/ann/filecache/mine/job.py");
}

TEST(SourceNames, CellsOfANotebook) {
  EXPECT_EQ(SourceName("/tmp/ipykernel_4711/3141592653.py", "/tmp"), "notebook cell 3141592653");
  EXPECT_EQ(SourceName("/var/tmp/ipykernel_12/3141592653.py", "/tmp"), "notebook cell 3141592653") << "another kernel, the same cell";
  EXPECT_EQ(SourceName("/tmp/ipykernel_4711/2718281828.py", "/tmp"), "notebook cell 2718281828");
  EXPECT_EQ(SourceName("<ipython-input-12-5ac0ffee>", "/tmp"), "notebook cell 12");
  for (const char* other : {"/jobs/ipykernel_x/1.py", "/jobs/ipykernel_1/one.py", "/jobs/ipykernel_1/2/3.py", "<ipython-input-x-5a>",
                            "<ipython-input-", "/ipykernel_1/"}) {
    EXPECT_EQ(SourceName(other, "/tmp"), other);
  }
}

TEST(SourceNames, CodeWithoutAFileKeepsItsName) {
  for (const char* name : {"<stdin>", "<string>", "<frozen importlib._bootstrap>", "", "."}) EXPECT_EQ(SourceName(name, "/tmp"), name);
}

}  // namespace
}  // namespace memprof
