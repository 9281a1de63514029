#include "folder.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace switchyard::shim::log {

namespace {

constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr int file_flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC;

} // namespace

bool write_all(int file, std::string_view bytes, off_t offset) noexcept {
    while (!bytes.empty()) {
        const auto written = pwrite(file, bytes.data(), bytes.size(), offset);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(written));
        offset += written;
    }
    return true;
}

void make_folders(const std::string& path) {
    std::filesystem::path folder;
    for (const auto& part : std::filesystem::absolute(path)) {
        folder /= part;
        mkdir(folder.c_str(), folder_mode(usual_file_mode));
    }
}

Folder Folder::open(const std::string& path, mode_t file_mode) {
    Folder folder;
    folder.path_ = path;
    folder.file_mode_ = file_mode;
    folder.descriptor_ = OwnDescriptor(::open(path.c_str(), folder_flags));
    if (!folder.is_open()) folder.error_ = errno;
    return folder;
}

Folder Folder::made(const std::string& path, mode_t file_mode) {
    const auto absolute = std::filesystem::absolute(path);
    make_folders(absolute.parent_path().string());
    mkdir(absolute.c_str(), folder_mode(file_mode));
    return open(absolute.string(), file_mode);
}

Folder Folder::inside(const std::string& name) const {
    Folder folder;
    folder.path_ = path_ + "/" + name;
    folder.file_mode_ = file_mode_;
    folder.error_ = error_;
    if (!is_open()) return folder;
    const auto here = reached();
    const bool is_there =
        mkdirat(here.number(), name.c_str(), folder_mode(file_mode_)) == 0 || errno == EEXIST;
    if (is_there) folder.descriptor_ = OwnDescriptor(openat(here.number(), name.c_str(), folder_flags));
    folder.error_ = folder.is_open() ? 0 : errno;
    return folder;
}

OwnDescriptor Folder::reached() const noexcept {
    const int number = descriptor_.number();
    OwnDescriptor here(number >= 0 ? fcntl(number, F_DUPFD_CLOEXEC, OwnDescriptor::lowest)
                                   : ::open(path_.c_str(), folder_flags));
    if (!descriptor_.leads_to_ours(here.number())) here.close();
    return here;
}

OwnDescriptor Folder::create(const std::string& name) const noexcept {
    const auto here = reached();
    if (here.number() < 0) {
        errno = is_open() || error_ == 0 ? ENOENT : error_;
        return {};
    }
    return OwnDescriptor(openat(here.number(), name.c_str(), file_flags | O_CREAT | O_EXCL, file_mode_));
}

OwnDescriptor Folder::found_again(const std::string& name, const OwnDescriptor& lost) const noexcept {
    const auto here = reached();
    if (here.number() < 0) return {};
    OwnDescriptor file(openat(here.number(), name.c_str(), file_flags | O_NONBLOCK));
    if (!lost.leads_to_ours(file.number())) file.close();
    return file;
}

bool Folder::write_whole(const std::string& name, std::string_view text) const {
    const auto unfinished = name + "." + std::to_string(getpid()) + ".unfinished";
    auto file = create(unfinished);
    if (!file.was_opened()) return false;
    const auto here = reached();
    if (write_all(file.number(), text, 0) && file.close() &&
        renameat(here.number(), unfinished.c_str(), here.number(), name.c_str()) == 0)
        return true;
    unlinkat(here.number(), unfinished.c_str(), 0);
    return false;
}

void Folder::remove(const std::string& name) const noexcept {
    unlinkat(reached().number(), name.c_str(), 0);
}

void Folder::remove_folder(const std::string& name) const noexcept {
    unlinkat(reached().number(), name.c_str(), AT_REMOVEDIR);
}

} // namespace switchyard::shim::log
