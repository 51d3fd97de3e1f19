// recorder-libcamera: runs one camera of libcamera for the recorder, which starts it with a socket as descriptor 3.
// docs/design/decisions/libcamera.md describes the messages and the reasons.
#include <libcamera/libcamera.h>
#include <libcamera/version.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "camera.h"
#include "controls.h"
#include "message.h"
#include "sandbox.h"

using namespace libcamera;

namespace {

constexpr int socketDescriptor = 3;

bool hasSocket() {
    int type = 0;
    socklen_t size = sizeof type;
    return getsockopt(socketDescriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

// Returns the numbers of the video nodes that a camera is made of.
std::vector<uint64_t> nodesOf(CameraManager &manager, const std::shared_ptr<Camera> &camera) {
    std::vector<uint64_t> nodes;
#if LIBCAMERA_VERSION_MAJOR > 0 || LIBCAMERA_VERSION_MINOR >= 1
    (void)manager;
    if (auto numbers = camera->properties().get(properties::SystemDevices)) {
        for (int64_t number : *numbers) nodes.push_back(static_cast<uint64_t>(number));
    }
#else
    // This version can only find the camera of a given node.
    for (unsigned number = 0; number < 256; number++) {
        struct stat facts;
        std::string path = "/dev/video" + std::to_string(number);
        if (stat(path.c_str(), &facts) == 0 && manager.get(facts.st_rdev) == camera) nodes.push_back(facts.st_rdev);
    }
#endif
    return nodes;
}

// Ends this process if it may not open a media device. libcamera leaves out that device's cameras without an error.
void checkPermissions(const Channel &channel) {
    for (unsigned number = 0; number < 64; number++) {
        std::string path = "/dev/media" + std::to_string(number);
        int device = open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
        int error = device < 0 ? errno : 0;
        if (device >= 0) close(device);
        if (error == EACCES || error == EPERM) channel.fail(wire::notPermitted, error, "it may not open " + path);
    }
}

// Checks the heaps of dma-bufs, which some cameras need. If there is none, or none may be opened, libcamera leaves out
// these cameras without an error. Returns a text that says what is missing; empty if a heap can be opened.
std::string missingHeap() {
    std::string reason = "; some need /dev/dma_heap, which is missing";
    for (const char *name : {"vidbuf_cached", "linux,cma", "reserved", "default_cma_region", "system"}) {
        int heap = open((std::string("/dev/dma_heap/") + name).c_str(), O_RDWR | O_CLOEXEC);
        if (heap >= 0) {
            close(heap);
            return "";
        }
        if (errno == EACCES || errno == EPERM) reason = "; some need /dev/dma_heap, which it may not open";
    }
    return reason;
}

std::string modelOf(const Camera &camera) {
    auto model = camera.properties().get(properties::Model);
    return model ? std::string(*model) : "";
}

void list(const Channel &channel, CameraManager &manager) {
    uint32_t count = 0;
    for (const auto &camera : manager.cameras()) {
        WireMessage message(wire::camera);
        message.putText(camera->id());
        message.putText(wire::shortTextAt, wire::shortTextSize, modelOf(*camera));
        auto location = camera->properties().get(properties::Location);
        // libcamera counts from the front: 0, 1, 2.
        bool isKnown = location && *location >= 0 && *location <= 2;
        message.put32(wire::cameraLocationAt, isKnown ? static_cast<uint32_t>(*location) + 1 : 0);
        auto rotation = camera->properties().get(properties::Rotation);
        message.put32(wire::cameraRotationAt, static_cast<uint32_t>(rotation ? *rotation % 360 : 0));
        channel.send(message);
        for (uint64_t number : nodesOf(manager, camera)) {
            WireMessage node(wire::device);
            node.put64(wire::deviceAt, number);
            channel.send(node);
        }
        count++;
    }
    if (count == 0) checkPermissions(channel);
    WireMessage end(wire::listed);
    end.put32(wire::countAt, count);
    channel.send(end);
}

std::shared_ptr<Camera> find(const Channel &channel, CameraManager &manager, const std::string &name) {
    if (auto camera = manager.get(name)) return camera;
    std::vector<std::shared_ptr<Camera>> sameModel;
    for (const auto &camera : manager.cameras()) {
        if (modelOf(*camera) == name) sameModel.push_back(camera);
    }
    if (sameModel.size() == 1) return sameModel[0];
    if (sameModel.size() > 1)
        channel.fail(wire::notFound, ENODEV, std::to_string(sameModel.size()) + " cameras are of this model");
    checkPermissions(channel);
    channel.fail(wire::notFound, ENODEV, "libcamera lists " + std::to_string(manager.cameras().size()) +
                                             " cameras, and none of this name" + missingHeap());
}

void describe(const Channel &channel, const Camera &camera) {
    uint32_t count = 0;
    for (const auto &[id, info] : camera.controls()) {
        auto control = controlOf(id, info);
        if (!control) continue;
        auto least = numberOf(info.min()), most = numberOf(info.max()), initial = numberOf(info.def());
        WireMessage message(wire::control);
        message.putText(control->name);
        message.put32(wire::controlTypeAt, control->type);
        bool isLimited = least && most && std::isfinite(*least) && std::isfinite(*most) && *least <= *most;
        message.putFloat(wire::controlMinimumAt, isLimited ? *least : 0);
        message.putFloat(wire::controlMaximumAt, isLimited ? *most : 0);
        message.putFloat(wire::controlInitialAt, initial ? *initial : std::nan(""));
        channel.send(message);
        for (const auto &value : info.values()) {
            auto number = numberOf(value);
            if (!number || !std::isfinite(*number)) continue;
            WireMessage choice(wire::choice);
            choice.putFloat(wire::choiceValueAt, *number);
            choice.putText(nameOf(*control, *number));
            channel.send(choice);
        }
        count++;
    }
    WireMessage end(wire::described);
    end.put32(wire::countAt, count);
    channel.send(end);
}

[[noreturn]] void run(const Channel &channel) {
    // The manager must not be destroyed: after a camera was unplugged, its destructor fails an assertion.
    auto *manager = new CameraManager;
    alarm(15);
    if (int error = -manager->start(); error != 0)
        channel.fail(causeOf(error), error, std::string("libcamera cannot start: ") + std::strerror(error));
    alarm(0);
    WireMessage hello(wire::hello);
    hello.putText(CameraManager::version());
    channel.send(hello);

    std::unique_ptr<CameraStream> stream;
    while (auto message = channel.receive()) {
        switch (message->kind()) {
        case wire::list: list(channel, *manager); break;
        case wire::describe: describe(channel, *find(channel, *manager, message->text())); break;
        case wire::open:
            if (stream) channel.fail(wire::failed, EINVAL, "it is open already");
            stream = std::make_unique<CameraStream>(channel, find(channel, *manager, message->text()));
            stream->open(*message);
            break;
        case wire::set:
        case wire::start:
        case wire::returned:
            if (!stream) channel.fail(wire::failed, EINVAL, "no camera is open");
            if (message->kind() == wire::set)
                stream->set(message->text(), message->getFloat(wire::setValueAt));
            else if (message->kind() == wire::start)
                stream->start();
            else
                stream->giveBack(message->get32(wire::bufferAt));
            break;
        default: channel.fail(wire::failed, EINVAL, "unknown message " + std::to_string(message->kind()));
        }
    }
    // The recorder has closed its end.
    if (stream) stream->close();
    _exit(0);
}

}  // namespace

int main(int count, char **arguments) {
    if (count == 2 && std::strcmp(arguments[1], "--version") == 0) {
        std::printf(
            "recorder-libcamera, messages %u, libcamera %s\n", wire::version, CameraManager::version().c_str());
        return 0;
    }
    if (count != 1 || !hasSocket()) {
        std::fputs(
            "recorder-libcamera runs a camera of libcamera for `recorder`, which starts it.\n"
            "Its only option is --version.\n",
            stderr);
        return 64;
    }
    // Not inherited by a process that libcamera might start.
    if (fcntl(socketDescriptor, F_SETFD, FD_CLOEXEC) != 0) return 71;
    // The recorder ends this process by closing the socket, also after Ctrl-C in a terminal.
    for (int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_IGN);
    // SIGALRM ends this process if a call of libcamera hangs, even if the recorder's parent ignored the signal.
    signal(SIGALRM, SIG_DFL);
    // libcamera aborts when a camera is unplugged. A core file for each would only contain what the camera saw.
    const rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    // libcamera logs to stderr. Its messages below a warning are for its developers. The variable has no effect on a
    // version that reads it while the library is loaded.
    setenv("LIBCAMERA_LOG_LEVELS", "*:WARN", 0);
    if (!isRestricted())
        std::fputs("recorder-libcamera: this kernel has no filter of system calls; running without\n", stderr);
    run(Channel(socketDescriptor));
}
