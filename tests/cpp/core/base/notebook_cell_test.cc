#include "base/notebook_cell.h"

#include <gtest/gtest.h>

namespace memprof {
namespace {

TEST(NotebookCell, IsKnownByTheNameThatItsKernelCompilesItUnder) {
  EXPECT_EQ(CellName("/tmp/ipykernel_4711/3141592653.py"), "notebook cell 3141592653");
  EXPECT_EQ(CellName("/var/tmp/ipykernel_12/3141592653.py"), "notebook cell 3141592653") << "another kernel, the same cell";
  EXPECT_EQ(CellName("<ipython-input-12-5ac0ffee>"), "notebook cell 12");
  for (const char* other :
       {"", "job.py", "/jobs/job.py", "/jobs/ipykernel_x/1.py", "/jobs/ipykernel_1/one.py", "/jobs/ipykernel_1/2/3.py", "/ipykernel_1/",
        "/ipykernel_1/.py", "/ipykernel_1.py", "/ipykernel_/7.py", "<ipython-input-x-5a>", "<ipython-input-", "<ipython-input-7>", ".py"}) {
    EXPECT_EQ(CellName(other), "") << other;
  }
}

}  // namespace
}  // namespace memprof
