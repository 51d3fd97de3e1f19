#include "message.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace {

// The maximum wait for the recorder to read from its full socket, in milliseconds.
constexpr int patience = 2000;

}  // namespace

void WireMessage::putText(uint32_t at, uint32_t size, const std::string &text) {
    size_t count = text.size();
    if (count > size) {
        count = size;
        // A continuation byte belongs to a character that began before.
        while (count > 0 && (static_cast<uint8_t>(text[count]) & 0xC0) == 0x80) count--;
    }
    for (size_t index = 0; index < count; index++) {
        uint8_t byte = static_cast<uint8_t>(text[index]);
        bytes_[at + index] = byte < 0x20 || byte == 0x7F ? uint8_t(' ') : byte;
    }
}

void Channel::send(const WireMessage &message, const std::vector<int> &descriptors) const {
    iovec part = {const_cast<uint8_t *>(message.data()), wire::messageSize};
    msghdr header = {};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * wire::mostPlanes)] = {};
    if (!descriptors.empty()) {
        size_t size = sizeof(int) * descriptors.size();
        header.msg_control = control;
        header.msg_controllen = CMSG_SPACE(size);
        cmsghdr *first = CMSG_FIRSTHDR(&header);
        first->cmsg_level = SOL_SOCKET;
        first->cmsg_type = SCM_RIGHTS;
        first->cmsg_len = CMSG_LEN(size);
        std::memcpy(CMSG_DATA(first), descriptors.data(), size);
    }
    while (true) {
        ssize_t sent = sendmsg(socket_, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent == ssize_t(wire::messageSize)) return;
        if (sent < 0 && errno == EINTR) continue;
        // A long list may fill the socket. A frame's message always fits, because there are few buffers.
        pollfd wait = {socket_, POLLOUT, 0};
        if (sent >= 0 || errno != EAGAIN || poll(&wait, 1, patience) <= 0) break;
    }
    // The recorder has ended, or does not read.
    if (errno != EPIPE && errno != ECONNRESET) std::perror("recorder-libcamera: cannot send to the recorder");
    _exit(2);
}

std::optional<WireMessage> Channel::receive() const {
    uint8_t bytes[wire::messageSize + 1];
    ssize_t count;
    do count = recv(socket_, bytes, sizeof bytes, 0);
    while (count < 0 && errno == EINTR);
    if (count == 0 || (count < 0 && errno == ECONNRESET)) return std::nullopt;
    WireMessage message;
    if (count == ssize_t(wire::messageSize)) {
        std::memcpy(message.data(), bytes, wire::messageSize);
        if (message.isValid()) return message;
    }
    std::fprintf(stderr, "recorder-libcamera: invalid message of %zd bytes\n", count);
    _exit(2);
}

void Channel::report(uint32_t cause, int error, const std::string &reason) const {
    WireMessage message(wire::failure);
    message.put32(wire::causeAt, cause);
    message.put32(wire::errnoAt, static_cast<uint32_t>(error));
    message.putText(reason);
    send(message);
}

void Channel::fail(uint32_t cause, int error, const std::string &reason) const {
    report(cause, error, reason);
    _exit(1);
}
