// _box_reader: black boxes as plain dicts and lists, for tests. Names are the box's own (blackbox/box_reader.h).
#include "blackbox/box_reader.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <stdexcept>
#include <string>

namespace {

namespace py = pybind11;
using namespace memprof;
using namespace py::literals;

const char* NameOf(Language language) {
  switch (language) {
    case Language::kPython:
      return "python";
    case Language::kNative:
      return "native";
    case Language::kJava:
      return "java";
    default:
      return "unknown";
  }
}

py::list StackOf(const BoxSession& session, uint32_t stack) {
  py::list frames;
  for (; stack != 0; stack = session.stacks[stack - 1].parent) {
    const BoxFrame& frame = session.frames[session.stacks[stack - 1].frame];
    frames.insert(0, py::dict("language"_a = NameOf(frame.language), "function"_a = frame.function, "file"_a = frame.file,
                              "line"_a = frame.line, "first_line"_a = frame.first_line, "module"_a = frame.module,
                              "build_id"_a = frame.build_id, "offset"_a = frame.offset));
  }
  return frames;
}

py::dict SessionOf(const BoxSession& session) {
  py::list sites, udfs;
  for (const BoxSite& site : session.sites) {
    sites.append(py::dict("allocated"_a = site.allocated_bytes, "allocations"_a = site.allocations, "live"_a = site.live_bytes,
                          "live_at_peak"_a = site.live_at_peak_bytes,
                          "resident_at_peak"_a = site.read_at_peak_bytes != 0 ? py::cast(site.resident_at_peak_bytes) : py::none(),
                          "sampled"_a = site.sampled, "variance"_a = site.variance, "peak_variance"_a = site.peak_variance,
                          "frames"_a = StackOf(session, site.stack)));
  }
  for (const BoxUdf& udf : session.udfs) {
    udfs.append(
        py::dict("name"_a = udf.name, "file"_a = udf.file, "line"_a = udf.line, "kind"_a = udf.kind, "is_generator"_a = udf.is_generator));
  }
  py::dict counters;
  for (const BoxCounter& counter : session.counters) counters[py::str(counter.name)] = counter.value;
  py::list incidents;
  for (const BoxIncident& incident : session.incidents) {
    incidents.append(py::dict("signal"_a = incident.signal, "code"_a = incident.code, "asked"_a = incident.asked_bytes,
                              "virtual"_a = incident.virtual_bytes, "resident"_a = incident.resident_bytes,
                              "limit"_a = incident.limit_bytes, "frames"_a = StackOf(session, incident.stack)));
  }
  return py::dict("number"_a = session.number, "task_attempt_id"_a = session.task_attempt_id, "opened_ms"_a = session.opened_ms,
                  "closed_ms"_a = session.closed_ms, "stage_id"_a = session.stage_id, "stage_attempt"_a = session.stage_attempt,
                  "partition"_a = session.partition, "attempt_number"_a = session.attempt_number, "closed"_a = session.closed,
                  "checksum_ok"_a = session.checksum_ok, "allocated"_a = session.allocated_bytes, "live_peak"_a = session.live_peak_bytes,
                  "sites"_a = sites, "udfs"_a = udfs, "counters"_a = counters, "incidents"_a = incidents);
}

// None where there are no rows.
py::object RowsOf(const BoxReader& reader) {
  const Result<RssRows> read = reader.ReadRssRows();
  if (!read.ok()) return py::none();
  py::dict rows;
  for (const RssRows::Row& row : read->rows) rows[py::str(row.name)] = row.bytes;
  return py::dict("rss"_a = read->rss_bytes, "time_ms"_a = read->time_ms, "rows"_a = rows);
}

// The owner may use this closed session's place again.
void Acknowledge(const std::string& path, uint64_t number) {
  Result<BoxReader> reader = BoxReader::Open(path);
  const Status done = reader.ok() ? reader->Acknowledge(number) : reader.status();
  if (!done.ok()) throw std::runtime_error(done.message());
}

// One box: its identity and all its sessions.
py::dict ReadBox(const std::string& path) {
  Result<BoxReader> reader = BoxReader::Open(path);
  if (!reader.ok()) throw std::runtime_error(reader.status().message());
  py::list sessions;
  for (const BoxReader::SessionKey& key : reader->Sessions()) {
    Result<BoxSession> session = reader->ReadSession(key.number);
    if (!session.ok()) throw std::runtime_error(session.status().message());
    sessions.append(SessionOf(*session));
  }
  const BoxIdentity& identity = reader->identity();
  return py::dict("application_id"_a = identity.application_id, "executor_id"_a = identity.executor_id, "pid"_a = identity.pid,
                  "python_version"_a = identity.python_version, "interval"_a = identity.interval_bytes,
                  "owner_alive"_a = reader->OwnerAlive(), "sessions"_a = sessions, "rows"_a = RowsOf(*reader));
}

}  // namespace

PYBIND11_MODULE(_box_reader, module) {
  module.def("read_box", &ReadBox, py::arg("path"), "The box at `path` as a dict; RuntimeError says why it can't be read.");
  module.def("acknowledge", &Acknowledge, py::arg("path"), py::arg("number"),
             "Gives a closed session's place back to the box's owner; RuntimeError says why that can't be done.");
  module.def("list_boxes", &ListBoxes, py::arg("directory"), py::arg("application_id"), "Paths of an application's boxes.");
}
