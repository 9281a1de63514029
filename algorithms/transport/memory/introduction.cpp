#include "introduction.hpp"

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace switchyard::algorithms {

namespace {

// A name that is no file. It goes when its socket goes.
struct Address {
    sockaddr_un name{};
    socklen_t length;

    explicit Address(std::uint32_t door) {
        name.sun_family = AF_UNIX;
        const int written =
            std::snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "switchyard-%08x", door);
        length =
            static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(written));
    }
    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name); }
};

int new_socket() {
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

bool is_of_this_user(int socket) {
    ucred peer{};
    socklen_t length = sizeof peer;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid();
}

// A message of one byte that carries a file.
struct Parcel {
    char byte = 0;
    iovec text{&byte, 1};
    alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};

    Parcel() {
        message.msg_iov = &text;
        message.msg_iovlen = 1;
        message.msg_control = room;
        message.msg_controllen = sizeof room;
    }
};

int receive(int socket) {
    Parcel parcel;
    if (recvmsg(socket, &parcel.message, MSG_CMSG_CLOEXEC) != 1) return -1;
    const cmsghdr* head = CMSG_FIRSTHDR(&parcel.message);
    if (head == nullptr || head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS ||
        head->cmsg_len != CMSG_LEN(sizeof(int)))
        return -1;
    int file = -1;
    std::memcpy(&file, CMSG_DATA(head), sizeof file);
    return file;
}

} // namespace

Introduction::Introduction(std::uint32_t door) : listener_(new_socket()) {
    const Address address(door);
    if (listener_ < 0 ||
        (bind(listener_, address.get(), address.length) == 0 && listen(listener_, SOMAXCONN) == 0))
        return;
    close(listener_);
    listener_ = -1;
}

Introduction::~Introduction() {
    if (listener_ >= 0) close(listener_);
}

bool Introduction::send(std::uint32_t door, int file) {
    const Address address(door);
    const int socket = new_socket();
    if (socket < 0) return false;
    Parcel parcel;
    cmsghdr* head = CMSG_FIRSTHDR(&parcel.message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof file);
    std::memcpy(CMSG_DATA(head), &file, sizeof file);
    const bool sent = connect(socket, address.get(), address.length) == 0 && is_of_this_user(socket) &&
                      sendmsg(socket, &parcel.message, MSG_NOSIGNAL) == 1;
    close(socket);
    return sent;
}

std::vector<int> Introduction::take() {
    std::vector<int> files;
    for (int guest; (guest = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;) {
        const int file = is_of_this_user(guest) ? receive(guest) : -1;
        close(guest);
        if (file >= 0) files.push_back(file);
    }
    return files;
}

} // namespace switchyard::algorithms
