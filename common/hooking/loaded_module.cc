#include "hooking/loaded_module.h"

#include <elf.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cstring>

namespace memprof {
namespace {

void ReadBuildId(const char* notes, size_t size, LoadedModule* module) {
  constexpr auto align = [](size_t n) { return (n + 3) & ~size_t{3}; };
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    memcpy(&header, notes, sizeof header);
    const size_t name = sizeof header, text = name + align(header.n_namesz), next = text + align(header.n_descsz);
    if (next < text || next > size) return;
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0) {
      module->build_id_size = static_cast<uint32_t>(std::min<size_t>(header.n_descsz, kMaxBuildIdBytes));
      memcpy(module->build_id, notes + text, module->build_id_size);
      return;
    }
    notes += next;
    size -= next;
  }
}

bool Describe(const dl_phdr_info& info, LoadedModule* module) {
  const uintptr_t page_mask = ~(uintptr_t{getauxval(AT_PAGESZ)} - 1);
  module->bias = info.dlpi_addr;
  module->segments = info.dlpi_phdr;
  module->segment_count = info.dlpi_phnum;
  module->path = info.dlpi_name != nullptr ? info.dlpi_name : "";
  module->begin = UINTPTR_MAX;
  for (size_t i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    const uintptr_t address = info.dlpi_addr + segment.p_vaddr;
    switch (segment.p_type) {
      case PT_LOAD:
        module->begin = std::min(module->begin, address & page_mask);
        module->end = std::max(module->end, address + segment.p_memsz);
        break;
      case PT_DYNAMIC:
        module->dynamic = reinterpret_cast<const ElfW(Dyn)*>(address);
        break;
      case PT_GNU_RELRO:  // the loader rounds both ends down, so a last partial page stays writable
        module->relro_begin = address & page_mask;
        module->relro_end = (address + segment.p_memsz) & page_mask;
        break;
      case PT_NOTE:
        if (module->build_id_size == 0) ReadBuildId(reinterpret_cast<const char*>(address), segment.p_memsz, module);
        break;
      default:
        break;
    }
  }
  if (module->begin >= module->end) return false;
  module->end = (module->end + ~page_mask) & page_mask;
  const char* slash = strrchr(module->path, '/');
  module->is_loader_or_vdso = module->Contains(getauxval(AT_SYSINFO_EHDR)) || module->Contains(getauxval(AT_BASE)) ||
                              strncmp(slash != nullptr ? slash + 1 : module->path, "ld-linux", 8) == 0;
  return true;
}

}  // namespace

LoaderCounters ReadLoaderCounters() {
  LoaderCounters counters;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* context) {
        *static_cast<LoaderCounters*>(context) = {info->dlpi_adds, info->dlpi_subs};
        return 1;
      },
      &counters);
  return counters;
}

LoaderCounters VisitLoadedModules(ModuleVisitor visitor, void* context) {
  struct Walk {
    ModuleVisitor visitor;
    void* context;
    LoaderCounters counters;
  } walk{visitor, context, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        Walk& state = *static_cast<Walk*>(data);
        state.counters = {info->dlpi_adds, info->dlpi_subs};
        LoadedModule module;
        if (Describe(*info, &module)) state.visitor(module, state.context);
        return 0;
      },
      &walk);
  return walk.counters;
}

}  // namespace memprof
