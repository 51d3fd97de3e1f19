// One message, and the socket that carries it.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "messages.h"

// The bytes of one message: reads and writes its fields. Offsets are those of messages.h.
class WireMessage {
public:
    WireMessage() = default;
    explicit WireMessage(uint32_t kind, uint32_t descriptors = 0) {
        put32(wire::magicAt, wire::magic);
        put16(wire::versionAt, wire::version);
        put16(wire::kindAt, kind);
        put32(wire::descriptorsAt, descriptors);
    }

    // True if the header is one of the recorder's, of this version.
    bool isValid() const {
        return get(wire::magicAt, 4) == wire::magic && get(wire::versionAt, 2) == wire::version &&
               get(wire::descriptorsAt, 4) == 0 && get(wire::reservedAt, 4) == 0;
    }

    uint32_t kind() const { return static_cast<uint32_t>(get(wire::kindAt, 2)); }
    uint32_t get32(uint32_t at) const { return static_cast<uint32_t>(get(at, 4)); }
    uint64_t get64(uint32_t at) const { return get(at, 8); }

    double getFloat(uint32_t at) const {
        uint64_t bits = get(at, 8);
        double value;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }

    std::string text() const {
        const char *start = reinterpret_cast<const char *>(bytes_.data()) + wire::textAt;
        return std::string(start, strnlen(start, wire::textSize));
    }

    void put16(uint32_t at, uint32_t value) { put(at, value, 2); }
    void put32(uint32_t at, uint32_t value) { put(at, value, 4); }
    void put64(uint32_t at, uint64_t value) { put(at, value, 8); }

    void putFloat(uint32_t at, double value) {
        uint64_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        put(at, bits, 8);
    }

    // Writes as much of a text as fits, without control characters and without a broken character at its end.
    void putText(const std::string &text) { putText(wire::textAt, wire::textSize, text); }
    void putText(uint32_t at, uint32_t size, const std::string &text);

    uint8_t *data() { return bytes_.data(); }
    const uint8_t *data() const { return bytes_.data(); }

private:
    uint64_t get(uint32_t at, unsigned count) const {
        uint64_t value = 0;
        for (unsigned index = 0; index < count; index++) value |= uint64_t(bytes_[at + index]) << (8 * index);
        return value;
    }

    void put(uint32_t at, uint64_t value, unsigned count) {
        for (unsigned index = 0; index < count; index++) bytes_[at + index] = uint8_t(value >> (8 * index));
    }

    std::array<uint8_t, wire::messageSize> bytes_{};
};

// The recorder's end of the connection. Any thread may send.
class Channel {
public:
    explicit Channel(int socket) : socket_(socket) {}

    // Sends a message, with file descriptors. A recorder that does not read for two seconds ends this process.
    void send(const WireMessage &message, const std::vector<int> &descriptors = {}) const;

    // Waits for a message. Returns none when the recorder has closed its end, and ends this process after an invalid
    // one.
    std::optional<WireMessage> receive() const;

    // Reports an error and ends this process, without running libcamera's destructors: they may fail assertions.
    [[noreturn]] void fail(uint32_t cause, int error, const std::string &reason) const;

    // Reports an error and continues.
    void report(uint32_t cause, int error, const std::string &reason) const;

private:
    int socket_;
};
