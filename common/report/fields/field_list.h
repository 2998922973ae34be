// Field lists: the JSON keys of each struct of the report model, in their order, each with its kind.
//
// A list is a function template Fields(struct, visitor), found by its arguments. JsonWriter visits it with a const struct, JsonReader
// with one that it fills; a kind of field is a member function that both have. README.md here says what each kind means.
#pragma once

#include <concepts>
#include <type_traits>

namespace memprof {

template <typename T, typename Struct>
concept Is = std::same_as<std::remove_const_t<T>, Struct>;

}  // namespace memprof
