// What a store reports of deaths, all at once.
#pragma once

#include <string>
#include <vector>

#include "store/profile_store.h"

namespace memprof::testing {

inline std::vector<std::string> TakePostMortems(ProfileStore& store, int64_t now_ms, bool all) {
  std::vector<std::string> texts;
  for (std::string text = store.NextPostMortem(now_ms, all); !text.empty(); text = store.NextPostMortem(now_ms, all)) {
    texts.push_back(text);
    store.PostMortemTold();
  }
  return texts;
}

}  // namespace memprof::testing
