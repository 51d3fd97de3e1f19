// One camera, from its configuration to its frames.
#pragma once

#include <libcamera/libcamera.h>

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "message.h"

// Runs one camera for the recorder. All calls come from the main thread; libcamera's own thread sends the frames.
class CameraStream {
public:
    CameraStream(const Channel &channel, std::shared_ptr<libcamera::Camera> camera)
        : channel_(channel), camera_(std::move(camera)) {}

    // Configures the camera as an `open` message requests, and sends the format and the buffers. Ends this process if
    // that is impossible.
    void open(const WireMessage &request);

    // Sets a control for the first frame, or for the next one. A control that is refused before the start ends this
    // process.
    void set(const std::string &name, double value);

    void start();

    // Queues a buffer that the recorder returned.
    void giveBack(uint32_t buffer);

    // Stops the camera and releases it. libcamera ends this process if the camera was unplugged.
    void close();

private:
    void choose(const WireMessage &request);
    void setInterval(const WireMessage &request);
    void sendConfiguration();
    void sendBuffer(uint32_t index, const libcamera::FrameBuffer &buffer);
    void queue(uint32_t index);

    // On libcamera's thread.
    void completed(libcamera::Request *request);
    void disconnected();

    const Channel &channel_;
    std::shared_ptr<libcamera::Camera> camera_;
    std::unique_ptr<libcamera::CameraConfiguration> configuration_;
    std::unique_ptr<libcamera::FrameBufferAllocator> allocator_;
    std::vector<std::unique_ptr<libcamera::Request>> requests_;
    // True for the buffers that the recorder has.
    std::array<std::atomic<bool>, wire::mostBuffers> isLent_{};
    // The number of buffers that the camera has and will fill.
    std::atomic<int> queued_{0};
    // The controls for the next request.
    std::map<unsigned, libcamera::ControlValue> pending_;
    int64_t shortestInterval_ = 0;  // nanoseconds; 0 if unknown
    int64_t longestInterval_ = 0;
    bool isStarted_ = false;
};

// Returns the cause in a failure message for an errno.
uint32_t causeOf(int error);
