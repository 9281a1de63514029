// A folder of ours, held by its descriptor. Renaming it, or putting a link in its place, does not lead our
// files elsewhere: every file is made new, inside this folder, and never through a link.
#pragma once

#include "own_descriptor.hpp"

#include <string>
#include <string_view>
#include <sys/types.h>

namespace switchyard::shim::log {

constexpr mode_t usual_file_mode = 0644;

class Folder {
  public:
    Folder() = default;
    // Opens the folder, which must not be a link. `file_mode`: the widest mode of its files.
    static Folder open(const std::string& path, mode_t file_mode = usual_file_mode);
    // Makes the folder and its parents if they are missing, and opens it.
    static Folder made(const std::string& path, mode_t file_mode = usual_file_mode);
    // A folder inside this folder, made if it is missing.
    Folder inside(const std::string& name) const;

    bool is_open() const { return descriptor_.was_opened(); }
    int error() const { return error_; } // the system's, if it is not open
    const std::string& path() const { return path_; }
    mode_t file_mode() const { return file_mode_; }

    // A new file, for reading and writing. If it cannot be made, nothing is opened, and errno says why.
    OwnDescriptor create(const std::string& name) const noexcept;
    // Opens the file by its name, if this is still the file of `lost`.
    OwnDescriptor found_again(const std::string& name, const OwnDescriptor& lost) const noexcept;
    // Writes the whole file or nothing. It replaces an older file of that name. False:
    // it could not be written.
    bool write_whole(const std::string& name, std::string_view text) const;
    void remove(const std::string& name) const noexcept;
    void remove_folder(const std::string& name) const noexcept; // if it is empty

  private:
    // This folder, by its descriptor, or by its path if the program closed the descriptor.
    OwnDescriptor reached() const noexcept;

    OwnDescriptor descriptor_;
    std::string path_;
    mode_t file_mode_ = usual_file_mode;
    int error_ = 0;
};

// Makes the folder and its parents if they are missing. Other users may not write there, whatever the umask.
// If this fails, opening the folder tells more.
void make_folders(const std::string& path);

// The mode of a folder whose files have this mode: whoever may read may enter.
constexpr mode_t folder_mode(mode_t file_mode) {
    return file_mode | (file_mode & 0444) >> 2;
}

// Writes all the bytes, from the offset on.
bool write_all(int file, std::string_view bytes, off_t offset) noexcept;

} // namespace switchyard::shim::log
