// Many network cameras in one process that costs little: the frames of a clip of H.264, over and over, by RTSP within TCP.
//
//   network-cameras PORT CLIP
//
// Each connection to rtsp://127.0.0.1:PORT/… is a camera of its own that begins with the clip's first frame, at the clip's
// rate. The packets are made once, at the start; for each camera only their numbers and times are written. A camera whose
// connection takes no more skips whole frames, and counts their packets.
//
// At the end of each stream one line on standard output: the path, frames sent, packets sent, packets skipped.

#define _GNU_SOURCE
#include "paced-camera.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    most_cameras = 256,
    most_payload = 1400,
    most_request = 8192,
    prefix = 4, // of a packet within the connection (RFC 2326, 10.12)
    header = 12, // of RTP
    clock_rate = 90000,
    report_seconds = 5,
};

// A frame as packets with their prefixes, as they are sent.
struct frame {
    uint8_t *bytes;
    size_t size;
    uint32_t packets;
};

struct camera {
    int socket, plays;
    char path[128];
    char request[most_request];
    size_t asked; // bytes in `request`
    uint8_t *pending; // what the connection has not taken yet: as large as the largest frame and the answers need
    size_t first, end; // of `pending`
    int64_t begin, number, reports; // the number of the next frame
    uint32_t sequence, octets;
    int64_t sent, packets, skipped;
};

static const struct clip *clip;
static struct frame *frames;
static size_t room; // of `pending`
static char description[2048];
static struct camera cameras[most_cameras];
static struct pollfd polled[most_cameras + 1];
static int count;

static void fail(const char *what) {
    fprintf(stderr, "network-cameras: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void put32(uint8_t *at, uint32_t value) {
    value = htonl(value);
    memcpy(at, &value, 4);
}

// MARK: The clip

static void add_packet(struct frame *frame, const uint8_t *start, size_t start_size, const uint8_t *rest, size_t size) {
    const size_t length = header + start_size + size;
    frame->bytes = realloc(frame->bytes, frame->size + prefix + length);
    if (!frame->bytes) fail("memory");
    uint8_t *at = frame->bytes + frame->size;
    memset(at, 0, prefix + header);
    at[0] = '$';
    at[2] = (uint8_t)(length >> 8);
    at[3] = (uint8_t)length;
    at[prefix] = 0x80;
    at[prefix + 1] = 96;
    memcpy(at + prefix + header, start, start_size);
    memcpy(at + prefix + header + start_size, rest, size);
    frame->size += prefix + length;
    frame->packets++;
}

// A NAL unit in one packet, or in fragments (RFC 6184, FU-A).
static void add_unit(struct frame *frame, const uint8_t *unit, size_t size) {
    if (size <= most_payload) return add_packet(frame, NULL, 0, unit, size);
    for (size_t at = 1; at < size; at += most_payload - 2) {
        const size_t part = size - at < most_payload - 2 ? size - at : most_payload - 2;
        const uint8_t start[2] = {
            (uint8_t)((unit[0] & 0xE0) | 28), (uint8_t)((unit[0] & 0x1F) | (at == 1 ? 0x80 : 0) | (at + part == size ? 0x40 : 0))};
        add_packet(frame, start, 2, unit + at, part);
    }
}

// The end of the start code at or after `at`; `begin` is where it begins. `size` if there is none.
static size_t next_unit(const uint8_t *bytes, size_t size, size_t at, size_t *begin) {
    for (; at + 3 <= size; at++)
        if (!bytes[at] && !bytes[at + 1] && bytes[at + 2] == 1) {
            *begin = at && !bytes[at - 1] ? at - 1 : at;
            return at + 3;
        }
    *begin = size;
    return size;
}

static void base64(char *to, const uint8_t *bytes, size_t size) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t at = 0; at < size; at += 3) {
        const uint32_t word = (uint32_t)bytes[at] << 16 | (at + 1 < size ? bytes[at + 1] << 8 : 0) | (at + 2 < size ? bytes[at + 2] : 0);
        for (int letter = 0; letter < 4; letter++)
            *to++ = at + (size_t)letter > size ? '=' : letters[word >> (18 - 6 * letter) & 63];
    }
    *to = 0;
}

static void describe(const uint8_t *sequence_set, size_t sequence_size, const uint8_t *frame_set, size_t frame_size) {
    char one[512], other[512];
    if (sequence_size < 4 || sequence_size > 300 || frame_size > 300) fail("the clip's parameter sets");
    base64(one, sequence_set, sequence_size);
    base64(other, frame_set, frame_size);
    snprintf(description, sizeof description,
             "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=camera\r\nc=IN IP4 0.0.0.0\r\nt=0 0\r\na=control:*\r\nm=video 0 RTP/AVP 96\r\n"
             "a=rtpmap:96 H264/90000\r\na=fmtp:96 packetization-mode=1;profile-level-id=%02X%02X%02X;sprop-parameter-sets=%s,%s\r\n"
             "a=control:video\r\n",
             sequence_set[1], sequence_set[2], sequence_set[3], one, other);
}

static void load(const char *path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status) < 0) fail(path);
    const uint8_t *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED) fail(path);
    close(file);
    clip = (const struct clip *)bytes;
    const uint32_t *sizes = (const uint32_t *)(clip + 1);
    const uint8_t *data = (const uint8_t *)(sizes + clip->count);
    frames = calloc(clip->count, sizeof *frames);
    if (!frames) fail("memory");
    const uint8_t *sets[2] = {NULL, NULL};
    size_t set_sizes[2] = {0, 0};
    for (uint32_t number = 0; number < clip->count; data += sizes[number++]) {
        size_t begin, end, last = 0;
        for (size_t at = next_unit(data, sizes[number], 0, &begin); at < sizes[number]; at = end) {
            end = next_unit(data, sizes[number], at, &begin);
            const int type = data[at] & 0x1F;
            if (type == 7 || type == 8) {
                sets[type - 7] = data + at;
                set_sizes[type - 7] = begin - at;
            }
            last = frames[number].size;
            add_unit(&frames[number], data + at, begin - at);
        }
        // The marker is in the last packet, which begins after the others.
        for (size_t at = last; at < frames[number].size;) {
            const size_t length = (size_t)(frames[number].bytes[at + 2] << 8 | frames[number].bytes[at + 3]);
            if (at + prefix + length == frames[number].size) frames[number].bytes[at + prefix + 1] |= 0x80;
            at += prefix + length;
        }
        if (frames[number].size > room) room = frames[number].size;
    }
    room += 1 << 16;
    if (!sets[0] || !sets[1]) fail("the clip has no parameter sets");
    describe(sets[0], set_sizes[0], sets[1], set_sizes[1]);
}

// MARK: A camera

static void leave(int index) {
    struct camera *camera = &cameras[index];
    if (camera->plays || camera->sent)
        printf("%s %lld %lld %lld\n", camera->path, (long long)camera->sent, (long long)camera->packets, (long long)camera->skipped);
    fflush(stdout);
    close(camera->socket);
    free(camera->pending);
    cameras[index] = cameras[--count];
    polled[index + 1] = polled[count + 1];
}

// Returns -1 if the connection has ended.
static int write_pending(struct camera *camera) {
    while (camera->first < camera->end) {
        const ssize_t written = send(camera->socket, camera->pending + camera->first, camera->end - camera->first, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (written < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
        camera->first += (size_t)written;
    }
    camera->first = camera->end = 0;
    return 0;
}

// Returns 0 if there is no room.
static int append(struct camera *camera, const void *bytes, size_t size) {
    if (camera->end + size > room) return 0;
    memcpy(camera->pending + camera->end, bytes, size);
    camera->end += size;
    return 1;
}

static uint32_t time_of(const struct camera *camera, int64_t number) {
    return (uint32_t)(number * clock_rate * clip->seconds / clip->frames + camera->socket * 7919);
}

static void send_report(struct camera *camera, int64_t at) {
    uint8_t report[prefix + 28] = {'$', 1, 0, 28, 0x80, 200, 0, 6};
    struct timespec wall;
    clock_gettime(CLOCK_REALTIME, &wall);
    put32(report + 8, (uint32_t)camera->socket);
    put32(report + 12, (uint32_t)(wall.tv_sec + 2208988800LL));
    put32(report + 16, (uint32_t)((wall.tv_nsec << 32) / 1000000000LL));
    put32(report + 20, time_of(camera, 0) + (uint32_t)((at - camera->begin) * 9 / 100000));
    put32(report + 24, (uint32_t)camera->packets);
    put32(report + 28, camera->octets);
    append(camera, report, sizeof report);
}

static int64_t due(const struct camera *camera) {
    return camera->begin + camera->number * 1000000000LL * clip->seconds / clip->frames;
}

static void send_frame(struct camera *camera, int64_t at) {
    const struct frame *frame = &frames[camera->number % clip->count];
    // Only to a connection that took what was before.
    if (camera->first == camera->end) {
        if (at - camera->begin >= camera->reports * report_seconds * 1000000000LL) {
            camera->reports++;
            send_report(camera, at);
        }
        uint8_t *packet = camera->pending + camera->end;
        append(camera, frame->bytes, frame->size);
        for (const uint8_t *end = packet + frame->size; packet < end; packet += prefix + (packet[2] << 8 | packet[3])) {
            packet[prefix + 2] = (uint8_t)(camera->sequence >> 8);
            packet[prefix + 3] = (uint8_t)camera->sequence++;
            put32(packet + prefix + 4, time_of(camera, camera->number));
            put32(packet + prefix + 8, (uint32_t)camera->socket);
        }
        camera->sent++;
        camera->packets += frame->packets;
        camera->octets += (uint32_t)frame->size;
    } else {
        camera->sequence += frame->packets;
        camera->skipped += frame->packets;
    }
    camera->number++;
}

static void answer(struct camera *camera, const char *request, int64_t at) {
    char method[32] = "", url[1024] = "", text[4096], more[1024] = "";
    sscanf(request, "%31s %1023s", method, url);
    const char *sequence = strcasestr(request, "\nCSeq:"), *body = "";
    if (!strcmp(method, "OPTIONS")) {
        strcpy(more, "Public: OPTIONS, DESCRIBE, SETUP, PLAY, GET_PARAMETER, TEARDOWN\r\n");
    } else if (!strcmp(method, "DESCRIBE")) {
        const char *path = strchr(strncmp(url, "rtsp://", 7) ? url : url + 7, '/');
        snprintf(camera->path, sizeof camera->path, "%.120s", path ? path : "/");
        body = description;
        snprintf(more, sizeof more, "Content-Base: %.900s/\r\nContent-Type: application/sdp\r\nContent-Length: %zu\r\n", url, strlen(body));
    } else if (!strcmp(method, "SETUP")) {
        snprintf(more, sizeof more, "Transport: RTP/AVP/TCP;unicast;interleaved=0-1;ssrc=%08X\r\nSession: 1;timeout=60\r\n", camera->socket);
    } else {
        snprintf(more, sizeof more, "Session: 1\r\n");
    }
    if (!strcmp(method, "PLAY")) {
        snprintf(more, sizeof more, "Session: 1\r\nRange: npt=0-\r\n");
        camera->plays = 1;
        camera->begin = at;
    }
    const int size = snprintf(text, sizeof text, "RTSP/1.0 200 OK\r\nCSeq: %d\r\n%s\r\n%s", sequence ? atoi(sequence + 6) : 0, more, body);
    append(camera, text, (size_t)size);
}

// Returns -1 if the connection has ended.
static int read_requests(struct camera *camera) {
    const ssize_t got = recv(camera->socket, camera->request + camera->asked, most_request - 1 - camera->asked, MSG_DONTWAIT);
    if (got <= 0) return got < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
    camera->asked += (size_t)got;
    while (camera->asked) {
        size_t used;
        if (camera->request[0] == '$') { // a receiver report
            if (camera->asked < prefix) break;
            used = prefix + (size_t)((uint8_t)camera->request[2] << 8 | (uint8_t)camera->request[3]);
            if (camera->asked < used) break;
        } else {
            camera->request[camera->asked] = 0;
            const char *end = strstr(camera->request, "\r\n\r\n");
            if (!end) break;
            used = (size_t)(end - camera->request) + 4;
            camera->request[used - 1] = 0;
            const int ends = !strncmp(camera->request, "TEARDOWN ", 9);
            answer(camera, camera->request, now());
            if (ends) {
                write_pending(camera);
                return -1;
            }
        }
        memmove(camera->request, camera->request + used, camera->asked - used);
        camera->asked -= used;
    }
    return camera->asked == most_request - 1 ? -1 : write_pending(camera);
}

static void welcome(int listener) {
    const int taken = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (taken < 0) return;
    const int yes = 1;
    setsockopt(taken, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    uint8_t *pending = malloc(room);
    if (count == most_cameras || !pending) {
        free(pending);
        close(taken);
        return;
    }
    cameras[count] = (struct camera){.socket = taken, .pending = pending, .sequence = (uint32_t)(taken * 911) & 0xFFFF};
    polled[++count] = (struct pollfd){.fd = taken};
}

int main(int words, char **arguments) {
    if (words != 3) {
        fprintf(stderr, "usage: network-cameras PORT CLIP\n");
        return 64;
    }
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    // It stands for hardware, so it runs before everybody else where it may.
    setpriority(PRIO_PROCESS, 0, -20);
    load(arguments[2]);
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), yes = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(listener, (const struct sockaddr *)&address, sizeof address) < 0 || listen(listener, most_cameras) < 0) fail("port");
    polled[0] = (struct pollfd){.fd = listener, .events = POLLIN};
    for (;;) {
        int64_t next = INT64_MAX;
        for (int index = 0; index < count; index++) {
            if (cameras[index].plays && due(&cameras[index]) < next) next = due(&cameras[index]);
            polled[index + 1].events = POLLIN | (cameras[index].first < cameras[index].end ? POLLOUT : 0);
        }
        const int64_t wait = next - now();
        const struct timespec time = {.tv_sec = wait > 0 ? wait / 1000000000 : 0, .tv_nsec = wait > 0 ? wait % 1000000000 : 0};
        if (ppoll(polled, (nfds_t)count + 1, next == INT64_MAX ? NULL : &time, NULL) < 0 && errno != EINTR) fail("ppoll");
        const int64_t at = now();
        // From the last one on, since a camera that leaves gives its place to the last one.
        for (int index = count - 1; index >= 0; index--) {
            struct camera *camera = &cameras[index];
            int ended = 0;
            if (polled[index + 1].revents & (POLLIN | POLLHUP | POLLERR)) ended = read_requests(camera);
            while (!ended && camera->plays && due(camera) <= at) {
                send_frame(camera, at);
                ended = write_pending(camera);
            }
            if (!ended && camera->first < camera->end) ended = write_pending(camera);
            if (ended) leave(index);
        }
        if (polled[0].revents) welcome(listener);
    }
}
