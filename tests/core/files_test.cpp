#include "core/files.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/errors.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_folder.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

std::size_t entries_of(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// Whether another process can lock the folder.
bool another_process_can_lock(const fs::path& folder) {
  const auto child = ::fork();
  if (child == 0) {
    try {
      const FolderLock lock(folder);
    } catch (const UserError&) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status == 0;
}

}  // namespace

TEST_CASE("a file reads back as it was written, byte for byte") {
  const TemporaryFolder folder;
  std::string bytes(200'000, 'x');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31);
  write_file_synced(folder / "a", bytes);
  CHECK(read_file(folder / "a") == bytes);
  write_file_synced(folder / "a", "");
  CHECK(read_file(folder / "a").empty());
}

TEST_CASE("replace_file leaves the new content and nothing beside it") {
  const TemporaryFolder folder;
  replace_file(folder / "a", "old");
  replace_file(folder / "a", "new");
  CHECK(read_file(folder / "a") == "new");
  CHECK(entries_of(folder.path()) == 1);
}

TEST_CASE("replace_file keeps the old content when the new one cannot be written") {
  const TemporaryFolder folder;
  replace_file(folder / "a", "old");
  fs::create_directory(folder / "a.tmp");  // where the new content would be written
  CHECK_THROWS_AS(replace_file(folder / "a", "new"), UserError);
  CHECK(read_file(folder / "a") == "old");
}

TEST_CASE("replace_link points a new or an existing link at its target") {
  const TemporaryFolder folder;
  for (const auto* target : {"step-1", "step-2"}) {
    replace_link(folder / "last", target);
    CHECK(fs::read_symlink(folder / "last") == target);
  }
  CHECK(entries_of(folder.path()) == 1);
}

TEST_CASE("the messages of file errors name the path and the cause") {
  const TemporaryFolder folder;
  const auto missing = folder / "missing";
  CHECK(message_of<UserError>([&] { read_file(missing); }) ==
        "cannot read " + missing.string() + ": No such file or directory");
  CHECK(message_of<UserError>([&] { read_file(folder.path()); }) ==
        "cannot read " + folder.path().string() + ": Is a directory");
  CHECK(message_of<UserError>([&] { replace_file(missing / "a", ""); }) ==
        "cannot write " + (missing / "a.tmp").string() + ": No such file or directory");
  CHECK(message_of<UserError>([&] { rename_path(missing, folder / "b"); }) ==
        "cannot rename " + missing.string() + " to " + (folder / "b").string() +
            ": No such file or directory");
  write_file_synced(folder / "file", "");
  CHECK(message_of<UserError>([&] { make_folders(folder / "file" / "below"); }) ==
        "cannot make the folder " + (folder / "file" / "below").string() + ": Not a directory");
}

TEST_CASE("make_folders makes every missing folder and accepts existing ones") {
  const TemporaryFolder folder;
  make_folders(folder / "a" / "b");
  make_folders(folder / "a" / "b");
  CHECK(fs::is_directory(folder / "a" / "b"));
}

TEST_CASE("what may have no end is not read, and nobody is waited for") {
  CHECK(message_of<UserError>([] { read_file("/dev/zero"); }) ==
        "cannot read /dev/zero: a device, which may never end; give a file");
  const TemporaryFolder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(read_file(folder / "pipe").empty());

  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const auto child = ::fork();
  if (child == 0) {
    ::usleep(50'000);
    ::_exit(::write(ends[1], "late", 4) == 4 ? 0 : 1);
  }
  ::close(ends[1]);
  CHECK(read_file("/dev/fd/" + std::to_string(ends[0])) == "late");
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
}

TEST_CASE("nothing is written through a link") {
  const TemporaryFolder folder;
  const TemporaryFolder elsewhere;
  for (const char* name : {"lock", "grows", "new", "replaced.tmp"}) {
    fs::create_symlink(elsewhere / "made", folder / name);
  }
  const auto refused = [&](const std::string& what, const std::string& name, const auto& write) {
    CHECK(message_of<UserError>(write) == "cannot " + what + " " + (folder / name).string() +
                                              ": a link, which may lead anywhere; delete it");
  };
  refused("open", "lock", [&] { FolderLock lock(folder.path()); });
  refused("write", "grows", [&] { GrowingFile file(folder / "grows"); });
  refused("write", "new", [&] { write_file_synced(folder / "new", "x"); });
  refused("write", "replaced.tmp", [&] { replace_file(folder / "replaced", "x"); });
  CHECK_FALSE(fs::exists(elsewhere / "made"));
}

TEST_CASE("replace_file takes no place of what is no file") {
  const TemporaryFolder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  fs::create_symlink("pipe", folder / "link");
  fs::create_directory(folder / "folder");
  for (const char* name : {"pipe", "link", "folder"}) {
    CHECK(message_of<UserError>([&] { replace_file(folder / name, "x"); }) ==
          "cannot write " + (folder / name).string() +
              ": something else than a file has this name");
  }
  CHECK(entries_of(folder.path()) == 3);
}

TEST_CASE("a locked folder is refused to others until the lock ends") {
  const TemporaryFolder folder;
  {
    const FolderLock lock(folder.path());
    CHECK(message_of<UserError>([&] { FolderLock second(folder.path()); }) ==
          folder.path().string() +
              ": another process is using this run; wait for it or stop it first");
    CHECK_FALSE(another_process_can_lock(folder.path()));
  }
  CHECK(another_process_can_lock(folder.path()));
}

}  // namespace zoo
