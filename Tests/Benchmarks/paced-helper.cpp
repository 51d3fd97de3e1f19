// A camera behind libcamera that is no hardware: what paced-camera.c gives, in the messages of recorder-libcamera.
//
// The recorder starts it in the place of recorder-libcamera. It takes the path of a paced camera for the name of a camera of
// libcamera. For each frame it does what recorder-libcamera does, which is one message in each direction, each from a thread of
// its own; what libcamera itself does for a frame is left out. No frame is copied.
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include "../../Sources/Programs/recorder-libcamera/message.h"
#include "paced-camera.h"

namespace {

// DRM_FORMAT_YUYV
constexpr uint32_t yuyv = 0x56595559;
constexpr uint32_t buffers = 8;

const Channel channel(3);
shared *memory;
int camera = -1, event = -1;
std::atomic<int> queued;

void connectTo(const std::string &path) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path, sizeof address.sun_path, "%s.socket", path.c_str());
    camera = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(camera, reinterpret_cast<sockaddr *>(&address), sizeof address) < 0)
        channel.fail(wire::notFound, errno, "there is no paced camera");
}

// Returns the camera's memory, and stores its event.
int receiveMemory() {
    char byte;
    alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))];
    iovec bytes = {&byte, 1};
    msghdr message = {};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    int files[2];
    if (recvmsg(camera, &message, MSG_CMSG_CLOEXEC) != 1 || CMSG_FIRSTHDR(&message) == nullptr)
        channel.fail(wire::failed, errno, "the paced camera sent no memory");
    std::memcpy(files, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof files);
    event = files[1];
    return files[0];
}

void open(const WireMessage &request) {
    connectTo(request.text());
    const int file = receiveMemory();
    void *mapped = mmap(nullptr, buffers_offset, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) channel.fail(wire::failed, errno, "the memory cannot be mapped");
    memory = static_cast<shared *>(mapped);
    const clip &clip = memory->clip;
    const uint64_t interval = 1'000'000'000ull * clip.seconds / clip.frames;
    WireMessage configured(wire::configured);
    configured.put32(wire::widthAt, clip.width);
    configured.put32(wire::heightAt, clip.height);
    configured.put32(wire::formatAt, yuyv);
    configured.put32(wire::buffersAt, buffers);
    configured.put32(wire::strideAt, clip.width * 2);
    configured.put32(wire::orientationAt, 1);
    configured.put64(wire::shortestIntervalAt, interval);
    configured.put64(wire::longestIntervalAt, interval);
    channel.send(configured);
    for (uint32_t index = 0; index < buffers; index++) {
        WireMessage message(wire::buffer, 1);
        message.put32(wire::bufferAt, index);
        message.put32(wire::planesAt, 1);
        message.put32(wire::planeAt + 4, buffers_offset + index * memory->stride);
        message.put32(wire::planeAt + 8, clip.largest);
        channel.send(message, {file});
    }
}

void queue(uint32_t index) {
    queued++;
    const uint32_t head = atomic_load_explicit(&memory->queued_head, memory_order_relaxed);
    memory->queued[head % ring] = index;
    atomic_store_explicit(&memory->queued_head, head + 1, memory_order_release);
}

void sendFrames() {
    for (;;) {
        pollfd wait = {event, POLLIN, 0};
        eventfd_t one;
        if (poll(&wait, 1, -1) < 0 || eventfd_read(event, &one) < 0) continue;
        const uint32_t tail = atomic_load_explicit(&memory->filled_tail, memory_order_relaxed);
        if (atomic_load_explicit(&memory->filled_head, memory_order_acquire) == tail) continue;
        const filled frame = memory->filled[tail % ring];
        atomic_store_explicit(&memory->filled_tail, tail + 1, memory_order_release);
        WireMessage message(wire::frame);
        message.put32(wire::bufferAt, frame.index);
        message.put32(wire::planesAt, 1);
        message.put32(wire::sequenceAt, frame.sequence);
        message.put32(wire::usedAt, frame.bytes);
        message.put64(wire::timestampAt, static_cast<uint64_t>(frame.stamp));
        message.put64(wire::sensorAt, static_cast<uint64_t>(frame.stamp));
        message.put32(wire::queuedAt, static_cast<uint32_t>(--queued));
        channel.send(message);
    }
}

void start() {
    for (uint32_t index = 0; index < buffers; index++) queue(index);
    channel.send(WireMessage(wire::started));
    char byte = stream_on;
    if (send(camera, &byte, 1, MSG_NOSIGNAL) != 1 || recv(camera, &byte, 1, 0) != 1)
        channel.fail(wire::lost, errno, "the paced camera has ended");
    std::thread(sendFrames).detach();
}

}  // namespace

int main() {
    WireMessage hello(wire::hello);
    hello.putText("paced");
    channel.send(hello);
    while (auto message = channel.receive()) {
        switch (message->kind()) {
        case wire::open: open(*message); break;
        case wire::start: start(); break;
        case wire::returned: queue(message->get32(wire::bufferAt)); break;
        default: channel.fail(wire::failed, EINVAL, "the paced camera has no list and no controls");
        }
    }
    _exit(0);
}
