#include "camera.h"

#include <libcamera/version.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "controls.h"
#include "format.h"

using namespace libcamera;

namespace {

// Ends this process if a call of libcamera hangs. The recorder has then ended, or would end this process anyway.
class TimeLimit {
public:
    explicit TimeLimit(unsigned seconds) { alarm(seconds); }
    ~TimeLimit() { alarm(0); }
};

constexpr unsigned openSeconds = 15;
constexpr unsigned closeSeconds = 2;

std::string reasonOf(const char *what, int error) { return std::string(what) + ": " + std::strerror(error); }

}  // namespace

uint32_t causeOf(int error) {
    switch (error) {
    case ENOENT:
    case ENODEV:
    case ENXIO: return wire::lost;
    case EBUSY: return wire::busy;
    case EACCES:
    case EPERM: return wire::notPermitted;
    case EINVAL: return wire::unsuitable;
    default: return wire::failed;
    }
}

void CameraStream::open(const WireMessage &request) {
    TimeLimit limit(openSeconds);
    if (int error = -camera_->acquire(); error != 0)
        channel_.fail(causeOf(error), error, error == EBUSY ? "another program uses it" : reasonOf("acquire", error));
    choose(request);
    if (int error = -camera_->configure(configuration_.get()); error != 0)
        channel_.fail(causeOf(error), error, reasonOf("configure", error));
    Stream *stream = configuration_->at(0).stream();
    allocator_ = std::make_unique<FrameBufferAllocator>(camera_);
    int count = allocator_->allocate(stream);
    if (count < 0) channel_.fail(causeOf(-count), -count, reasonOf("cannot allocate buffers", -count));
    const auto &buffers = allocator_->buffers(stream);
    if (buffers.empty()) channel_.fail(wire::failed, 0, "libcamera allocated no buffers");
    camera_->requestCompleted.connect(this, &CameraStream::completed);
    camera_->disconnected.connect(this, &CameraStream::disconnected);
    size_t used = std::min<size_t>(buffers.size(), wire::mostBuffers);
    for (size_t index = 0; index < used; index++) {
        auto next = camera_->createRequest(index);
        if (!next) channel_.fail(wire::failed, 0, "libcamera created no request");
        if (int error = -next->addBuffer(stream, buffers[index].get()); error != 0)
            channel_.fail(causeOf(error), error, reasonOf("addBuffer", error));
        requests_.push_back(std::move(next));
    }
    setInterval(request);
    sendConfiguration();
    for (size_t index = 0; index < used; index++) sendBuffer(static_cast<uint32_t>(index), *buffers[index]);
}

// Finds the first format that the recorder can use, with the requested size and orientation.
void CameraStream::choose(const WireMessage &request) {
    configuration_ = camera_->generateConfiguration({StreamRole::VideoRecording});
    if (!configuration_ || configuration_->empty())
        channel_.fail(wire::unsuitable, 0, "it offers no video");
    StreamConfiguration &stream = configuration_->at(0);
    const Size standard = stream.size;
    const auto standardColor = stream.colorSpace;
    const Size wanted(request.get32(wire::widthAt), request.get32(wire::heightAt));
    const bool hasSize = wanted.width > 0 && wanted.height > 0;
    const uint32_t orientation = request.get32(wire::orientationAt);
    std::string nearest, offered;
    for (const PixelFormat &format : formatsFor(request.get32(wire::formatAt))) {
        stream.pixelFormat = format;
        stream.size = hasSize ? wanted : standard;
        stream.stride = 0;
        // The previous attempt has set the color space for its own format.
        stream.colorSpace = standardColor;
        if (uint32_t buffers = request.get32(wire::buffersAt); buffers > 0) stream.bufferCount = buffers;
        if (!setOrientation(*configuration_, orientation))
            channel_.fail(wire::unsuitable, 0, "this version of libcamera can flip, but not rotate by 90 degrees");
        if (configuration_->validate() == CameraConfiguration::Invalid) continue;
        if (stream.pixelFormat != format) {
            if (offered.empty()) offered = stream.pixelFormat.toString();
            continue;
        }
        if (hasSize && stream.size != wanted) {
            if (nearest.empty()) nearest = stream.size.toString();
            continue;
        }
        // A camera that is mounted upside down, and cannot flip, is recorded as it is.
        if (orientation > 1 && orientationOf(*configuration_) != orientation)
            channel_.fail(wire::unsuitable, 0, "it cannot rotate or flip its frames like that");
        return;
    }
    if (!nearest.empty())
        channel_.fail(wire::unsuitable, 0, "it has no frames of " + wanted.toString() + "; nearest is " + nearest);
    if (offered.empty()) channel_.fail(wire::unsuitable, 0, "it offers no format that can be recorded");
    channel_.fail(wire::unsuitable, 0, "it offers " + offered + " instead of a format that can be recorded");
}

// Sets the frame rate, and finds out what is known about it. libcamera counts in microseconds.
void CameraStream::setInterval(const WireMessage &request) {
    const auto &known = camera_->controls();
    auto found = known.find(&controls::FrameDurationLimits);
    if (found == known.end()) return;
    auto least = numberOf(found->second.min()), most = numberOf(found->second.max());
    int64_t shortest = least ? static_cast<int64_t>(*least) : 0, longest = most ? static_cast<int64_t>(*most) : 0;
    constexpr int64_t limit = wire::longestDuration / 1000;
    if (shortest < 0 || longest < shortest || longest > limit) shortest = longest = 0;
    auto wantedShortest = static_cast<int64_t>(request.get64(wire::shortestIntervalAt) / 1000);
    auto wantedLongest = static_cast<int64_t>(request.get64(wire::longestIntervalAt) / 1000);
    if (wantedShortest > 0 && wantedLongest >= wantedShortest && wantedLongest <= limit) {
        if (longest > 0) {
            wantedShortest = std::clamp(wantedShortest, shortest, longest);
            wantedLongest = std::clamp(wantedLongest, shortest, longest);
        }
        const int64_t pair[2] = {wantedShortest, wantedLongest};
        pending_[controls::FrameDurationLimits.id()] = ControlValue(Span<const int64_t, 2>(pair));
        shortest = wantedShortest;
        longest = wantedLongest;
    }
    shortestInterval_ = shortest * 1000;
    longestInterval_ = longest * 1000;
}

void CameraStream::sendConfiguration() {
    const StreamConfiguration &stream = configuration_->at(0);
    WireMessage message(wire::configured);
    message.put32(wire::widthAt, stream.size.width);
    message.put32(wire::heightAt, stream.size.height);
    message.put32(wire::formatAt, stream.pixelFormat.fourcc());
    message.put32(wire::buffersAt, static_cast<uint32_t>(requests_.size()));
    message.put32(wire::strideAt, stream.stride);
    message.put32(wire::orientationAt, orientationOf(*configuration_));
    message.put64(wire::shortestIntervalAt, static_cast<uint64_t>(shortestInterval_));
    message.put64(wire::longestIntervalAt, static_cast<uint64_t>(longestInterval_));
    if (stream.colorSpace) putColor(message, *stream.colorSpace);
    channel_.send(message);
}

void CameraStream::sendBuffer(uint32_t index, const FrameBuffer &buffer) {
    // Planes that share a dma-buf share its descriptor.
    std::vector<int> descriptors;
    const auto &planes = buffer.planes();
    if (planes.empty() || planes.size() > wire::mostPlanes) channel_.fail(wire::unsuitable, 0, "too many planes");
    std::vector<uint32_t> numbers;
    for (const FrameBuffer::Plane &plane : planes) {
        auto found = std::find(descriptors.begin(), descriptors.end(), plane.fd.get());
        numbers.push_back(static_cast<uint32_t>(found - descriptors.begin()));
        if (found == descriptors.end()) descriptors.push_back(plane.fd.get());
    }
    WireMessage message(wire::buffer, static_cast<uint32_t>(descriptors.size()));
    message.put32(wire::bufferAt, index);
    message.put32(wire::planesAt, static_cast<uint32_t>(planes.size()));
    for (size_t number = 0; number < planes.size(); number++) {
        uint32_t at = wire::planeAt + static_cast<uint32_t>(number) * wire::planeSize;
        const FrameBuffer::Plane &plane = planes[number];
        message.put32(at, numbers[number]);
        message.put32(at + 4, plane.offset == FrameBuffer::Plane::kInvalidOffset ? 0 : plane.offset);
        message.put32(at + 8, plane.length);
    }
    channel_.send(message, descriptors);
}

void CameraStream::set(const std::string &name, double value) {
    std::string reason = "it has no control " + name;
    for (const auto &[id, info] : camera_->controls()) {
        if (id->name() != name) continue;
        auto control = controlOf(id, info);
        if (!control) {
            reason = name + " does not hold one number";
            break;
        }
        auto converted = valueOf(*control, value, reason);
        if (!converted) break;
        pending_[control->id] = *converted;
        return;
    }
    if (!isStarted_) channel_.fail(wire::invalidControl, EINVAL, reason);
    channel_.report(wire::invalidControl, EINVAL, reason);
}

void CameraStream::start() {
    if (requests_.empty() || isStarted_) channel_.fail(wire::failed, EINVAL, "started out of turn");
    TimeLimit limit(openSeconds);
    ControlList first(controls::controls);
    for (const auto &[id, value] : pending_) first.set(id, value);
    pending_.clear();
    if (int error = -camera_->start(&first); error != 0) channel_.fail(causeOf(error), error, reasonOf("start", error));
    isStarted_ = true;
    // The recorder must get this message before the first frame.
    channel_.send(WireMessage(wire::started));
    for (uint32_t index = 0; index < requests_.size(); index++) queue(index);
}

void CameraStream::giveBack(uint32_t buffer) {
    if (!isStarted_ || buffer >= requests_.size() || !isLent_[buffer].exchange(false)) {
        std::fprintf(stderr, "recorder-libcamera: buffer %u was returned, but was not lent\n", buffer);
        _exit(2);
    }
    requests_[buffer]->reuse(Request::ReuseBuffers);
    queue(buffer);
}

void CameraStream::queue(uint32_t index) {
    Request &request = *requests_[index];
    for (const auto &[id, value] : pending_) request.controls().set(id, value);
    pending_.clear();
    // The request may complete before the call returns.
    queued_++;
    if (int error = -camera_->queueRequest(&request); error != 0)
        channel_.fail(causeOf(error), error, reasonOf("queueRequest", error));
}

void CameraStream::completed(Request *request) {
    int left = --queued_;
    const FrameBuffer *buffer = request->buffers().begin()->second;
    const FrameMetadata &facts = buffer->metadata();
    const auto &metadata = request->metadata();
    uint32_t status = facts.status == FrameMetadata::FrameSuccess ? 0 : 1;
    // Later versions have another status after this one, for the frames before the exposure has settled.
    if (request->status() == Request::RequestCancelled || facts.status >= FrameMetadata::FrameCancelled) status = 2;
    WireMessage message(wire::frame);
    message.put32(wire::bufferAt, static_cast<uint32_t>(request->cookie()));
    message.put32(wire::statusAt, status);
    message.put32(wire::sequenceAt, facts.sequence);
    message.put64(wire::timestampAt, facts.timestamp);
    uint32_t planes = 0;
    for (const auto &plane : facts.planes()) {
        if (planes < wire::mostPlanes) message.put32(wire::usedAt + 4 * planes, plane.bytesused);
        planes++;
    }
    message.put32(wire::planesAt, planes == 0 ? static_cast<uint32_t>(buffer->planes().size()) : planes);
    if (auto sensor = metadata.get(controls::SensorTimestamp); sensor && *sensor > 0)
        message.put64(wire::sensorAt, static_cast<uint64_t>(*sensor));
    if (auto duration = metadata.get(controls::FrameDuration);
        duration && *duration > 0 && *duration <= int64_t(wire::longestDuration / 1000))
        message.put64(wire::durationAt, static_cast<uint64_t>(*duration) * 1000);
    if (auto exposure = metadata.get(controls::ExposureTime); exposure && *exposure > 0)
        message.put32(wire::exposureAt, static_cast<uint32_t>(*exposure));
    message.put32(wire::queuedAt, static_cast<uint32_t>(std::max(0, left)));
    // The recorder may return the buffer as soon as it has the message.
    isLent_[request->cookie()] = true;
    channel_.send(message);
}

void CameraStream::disconnected() { channel_.fail(wire::lost, ENODEV, "it was unplugged"); }

void CameraStream::close() {
    TimeLimit limit(closeSeconds);
    if (isStarted_) camera_->stop();
    camera_->release();
}
