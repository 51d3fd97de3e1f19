// Calls for memory-to-memory devices: encoders that take frames from one queue and return packets in another. The
// single-planar and the multi-planar interface differ in their structures and unions, so both are hidden here behind
// plain numbers. libv4l2 knows neither, so every call goes to the driver.
#ifndef RECORDER_CV4L2_ENCODER_H
#define RECORDER_CV4L2_ENCODER_H

static const unsigned int CV4L2_PIX_NV12M = V4L2_PIX_FMT_NV12M;
static const unsigned int CV4L2_PIX_YUV420M = V4L2_PIX_FMT_YUV420M;
static const unsigned int CV4L2_PIX_FWHT = V4L2_PIX_FMT_FWHT;

static const unsigned int CV4L2_CID_FORCE_KEY_FRAME = V4L2_CID_MPEG_VIDEO_FORCE_KEY_FRAME;
static const unsigned int CV4L2_CID_MIN_BUFFERS_FOR_OUTPUT = V4L2_CID_MIN_BUFFERS_FOR_OUTPUT;
static const unsigned int CV4L2_CID_BITRATE = V4L2_CID_MPEG_VIDEO_BITRATE;
static const unsigned int CV4L2_CID_BITRATE_MODE = V4L2_CID_MPEG_VIDEO_BITRATE_MODE;
static const unsigned int CV4L2_CID_B_FRAMES = V4L2_CID_MPEG_VIDEO_B_FRAMES;
static const unsigned int CV4L2_CID_GOP_SIZE = V4L2_CID_MPEG_VIDEO_GOP_SIZE;
static const unsigned int CV4L2_CID_H264_I_PERIOD = V4L2_CID_MPEG_VIDEO_H264_I_PERIOD;
static const unsigned int CV4L2_CID_REPEAT_SEQ_HEADER = V4L2_CID_MPEG_VIDEO_REPEAT_SEQ_HEADER;
static const unsigned int CV4L2_CID_HEADER_MODE = V4L2_CID_MPEG_VIDEO_HEADER_MODE;
static const unsigned int CV4L2_CID_FRAME_RC_ENABLE = V4L2_CID_MPEG_VIDEO_FRAME_RC_ENABLE;
static const unsigned int CV4L2_CID_H264_PROFILE = V4L2_CID_MPEG_VIDEO_H264_PROFILE;
static const unsigned int CV4L2_CID_H264_LEVEL = V4L2_CID_MPEG_VIDEO_H264_LEVEL;
static const unsigned int CV4L2_CID_MULTI_SLICE_MODE = V4L2_CID_MPEG_VIDEO_MULTI_SLICE_MODE;

// An upper limit for the planes that a frame has in separate memory (NV12M has two, YUV420M three).
#define CV4L2_PLANES 4

// One of the two queues of a device. "Output" is the queue from the program to the device: an encoder's frames. The
// memory of imported buffers belongs to another device, and is passed as dma-bufs.
struct cv4l2_queue {
    int fd;
    int is_capture;
    int is_multiplanar;
    int is_imported;
};
static inline unsigned int cv4l2_queue_type(struct cv4l2_queue queue) {
    if (queue.is_multiplanar)
        return queue.is_capture ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE : V4L2_BUF_TYPE_VIDEO_OUTPUT_MPLANE;
    return queue.is_capture ? V4L2_BUF_TYPE_VIDEO_CAPTURE : V4L2_BUF_TYPE_VIDEO_OUTPUT;
}
static inline unsigned int cv4l2_queue_memory(struct cv4l2_queue queue) {
    return queue.is_imported ? V4L2_MEMORY_DMABUF : V4L2_MEMORY_MMAP;
}

// The format of a queue. `size` and `stride` have `plane_count` values; 0 leaves them to the driver.
struct cv4l2_queue_format {
    unsigned int pixel_format, width, height, plane_count;
    unsigned int size[CV4L2_PLANES], stride[CV4L2_PLANES];
    unsigned int colorspace, transfer, encoding, quantization;
};
// Sets the format, and stores in `wanted` the format that the driver chose. Returns 0 or the errno.
static inline int cv4l2_set_queue_format(struct cv4l2_queue queue, struct cv4l2_queue_format *wanted) {
    struct v4l2_format format = {.type = cv4l2_queue_type(queue)};
    if (queue.is_multiplanar) {
        struct v4l2_pix_format_mplane *pix = &format.fmt.pix_mp;
        pix->pixelformat = wanted->pixel_format;
        pix->width = wanted->width;
        pix->height = wanted->height;
        pix->field = V4L2_FIELD_NONE;
        pix->num_planes = (unsigned char)wanted->plane_count;
        for (unsigned int i = 0; i < wanted->plane_count && i < CV4L2_PLANES; i++) {
            pix->plane_fmt[i].sizeimage = wanted->size[i];
            pix->plane_fmt[i].bytesperline = wanted->stride[i];
        }
        pix->colorspace = wanted->colorspace;
        pix->xfer_func = (unsigned char)wanted->transfer;
        pix->ycbcr_enc = (unsigned char)wanted->encoding;
        pix->quantization = (unsigned char)wanted->quantization;
    } else {
        struct v4l2_pix_format *pix = &format.fmt.pix;
        pix->pixelformat = wanted->pixel_format;
        pix->width = wanted->width;
        pix->height = wanted->height;
        pix->field = V4L2_FIELD_NONE;
        pix->sizeimage = wanted->size[0];
        pix->bytesperline = wanted->stride[0];
        pix->colorspace = wanted->colorspace;
        // Without this number, drivers ignore the members after it (V4L2_PIX_FMT_PRIV_MAGIC).
        pix->priv = V4L2_PIX_FMT_PRIV_MAGIC;
        pix->xfer_func = wanted->transfer;
        pix->ycbcr_enc = wanted->encoding;
        pix->quantization = wanted->quantization;
    }
    int code = cv4l2_raw_ioctl(queue.fd, VIDIOC_S_FMT, &format);
    if (code != 0) return code;
    if (queue.is_multiplanar) {
        struct v4l2_pix_format_mplane *pix = &format.fmt.pix_mp;
        wanted->pixel_format = pix->pixelformat;
        wanted->width = pix->width;
        wanted->height = pix->height;
        wanted->plane_count = pix->num_planes;
        for (unsigned int i = 0; i < CV4L2_PLANES; i++) {
            wanted->size[i] = i < pix->num_planes ? pix->plane_fmt[i].sizeimage : 0;
            wanted->stride[i] = i < pix->num_planes ? pix->plane_fmt[i].bytesperline : 0;
        }
    } else {
        struct v4l2_pix_format *pix = &format.fmt.pix;
        wanted->pixel_format = pix->pixelformat;
        wanted->width = pix->width;
        wanted->height = pix->height;
        wanted->plane_count = 1;
        wanted->size[0] = pix->sizeimage;
        wanted->stride[0] = pix->bytesperline;
    }
    return 0;
}
// Returns the stride of a plane, or 0.
static inline unsigned int cv4l2_stride(const struct cv4l2_queue_format *format, unsigned int plane) {
    return plane < CV4L2_PLANES ? format->stride[plane] : 0;
}
// Returns the bytes of a plane, or 0.
static inline unsigned int cv4l2_size(const struct cv4l2_queue_format *format, unsigned int plane) {
    return plane < CV4L2_PLANES ? format->size[plane] : 0;
}
static inline void cv4l2_set_size(struct cv4l2_queue_format *format, unsigned int size) { format->size[0] = size; }
// Requests the stride of a plane. The strides of the planes before it must have been set.
static inline void cv4l2_set_stride(struct cv4l2_queue_format *format, unsigned int plane, unsigned int stride) {
    if (plane >= CV4L2_PLANES) return;
    format->stride[plane] = stride;
    format->plane_count = plane + 1;
}

// Sets the part of the frames that is encoded. Older drivers know only the multi-planar type. Returns 0 or the errno.
static inline int cv4l2_set_crop(struct cv4l2_queue queue, unsigned int width, unsigned int height) {
    struct v4l2_selection selection = {
        .type = V4L2_BUF_TYPE_VIDEO_OUTPUT, .target = V4L2_SEL_TGT_CROP, .r = {.width = width, .height = height}};
    int code = cv4l2_raw_ioctl(queue.fd, VIDIOC_S_SELECTION, &selection);
    if (code != EINVAL || !queue.is_multiplanar) return code;
    selection.type = V4L2_BUF_TYPE_VIDEO_OUTPUT_MPLANE;
    return cv4l2_raw_ioctl(queue.fd, VIDIOC_S_SELECTION, &selection);
}
// Sets the time from one frame to the next, for the rate control. Returns 0 or the errno.
static inline int cv4l2_set_frame_time(struct cv4l2_queue queue, unsigned int numerator, unsigned int denominator) {
    struct v4l2_streamparm parameters = {.type = cv4l2_queue_type(queue)};
    parameters.parm.output.timeperframe.numerator = numerator;
    parameters.parm.output.timeperframe.denominator = denominator;
    return cv4l2_raw_ioctl(queue.fd, VIDIOC_S_PARM, &parameters);
}
// Returns a pixel format of a queue by its number, or 0 after the last.
static inline unsigned int cv4l2_pixel_format(struct cv4l2_queue queue, unsigned int index, int *is_compressed) {
    struct v4l2_fmtdesc description = {.index = index, .type = cv4l2_queue_type(queue)};
    if (cv4l2_raw_ioctl(queue.fd, VIDIOC_ENUM_FMT, &description) != 0) return 0;
    *is_compressed = (description.flags & V4L2_FMT_FLAG_COMPRESSED) != 0;
    return description.pixelformat;
}
// Returns 1 and the largest frame of a pixel format, or 0 if the driver does not report it.
static inline int cv4l2_largest_frame(
    int fd, unsigned int pixel_format, unsigned int *width, unsigned int *height) {
    int is_found = 0;
    for (unsigned int index = 0; index < 256; index++) {
        struct v4l2_frmsizeenum size = {.index = index, .pixel_format = pixel_format};
        if (cv4l2_raw_ioctl(fd, VIDIOC_ENUM_FRAMESIZES, &size) != 0) break;
        int is_discrete = size.type == V4L2_FRMSIZE_TYPE_DISCRETE;
        unsigned int found_width = is_discrete ? size.discrete.width : size.stepwise.max_width;
        unsigned int found_height = is_discrete ? size.discrete.height : size.stepwise.max_height;
        if (!is_found || (unsigned long long)found_width * found_height > (unsigned long long)*width * *height) {
            *width = found_width;
            *height = found_height;
        }
        is_found = 1;
        if (!is_discrete) break;
    }
    return is_found;
}

// Requests buffers, and replaces `count` by the number that the driver granted. 0 frees all. Returns 0 or the errno.
static inline int cv4l2_request_buffers(struct cv4l2_queue queue, unsigned int *count) {
    struct v4l2_requestbuffers request = {
        .count = *count, .type = cv4l2_queue_type(queue), .memory = cv4l2_queue_memory(queue)};
    int code = cv4l2_raw_ioctl(queue.fd, VIDIOC_REQBUFS, &request);
    if (code == 0) *count = request.count;
    return code;
}
// Reads where the memory of a buffer's planes is, for mmap(2); `lengths` and `offsets` have CV4L2_PLANES elements.
// Returns 0 or the errno.
static inline int cv4l2_locate_buffer(
    struct cv4l2_queue queue, unsigned int index, unsigned int *plane_count, unsigned int *lengths,
    unsigned int *offsets) {
    struct v4l2_plane planes[VIDEO_MAX_PLANES] = {0};
    struct v4l2_buffer buffer = {.index = index, .type = cv4l2_queue_type(queue), .memory = V4L2_MEMORY_MMAP};
    if (queue.is_multiplanar) {
        buffer.m.planes = planes;
        buffer.length = VIDEO_MAX_PLANES;
    }
    int code = cv4l2_raw_ioctl(queue.fd, VIDIOC_QUERYBUF, &buffer);
    if (code != 0) return code;
    if (!queue.is_multiplanar) {
        *plane_count = 1;
        lengths[0] = buffer.length;
        offsets[0] = buffer.m.offset;
        return 0;
    }
    *plane_count = buffer.length < CV4L2_PLANES ? buffer.length : CV4L2_PLANES;
    for (unsigned int i = 0; i < *plane_count; i++) {
        lengths[i] = planes[i].length;
        offsets[i] = planes[i].m.mem_offset;
    }
    return 0;
}
static inline void *cv4l2_map_plane(int fd, unsigned long length, unsigned int offset) {
    void *memory = mmap(0, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
    return memory == MAP_FAILED ? 0 : memory;
}

// Passes a buffer to the driver. `used` has the bytes used in each plane, all 0 for a buffer to be filled. `stamp` is a
// timestamp in microseconds that the driver returns with the packet. For a queue of imported buffers, `descriptors` and
// `lengths` have each plane's dma-buf and its size; the driver keeps its own references to the dma-bufs. Returns 0 or
// the errno.
static inline int cv4l2_queue_planes(
    struct cv4l2_queue queue, unsigned int index, unsigned int plane_count, const unsigned int *used, long long stamp,
    const int *descriptors, const unsigned int *lengths) {
    struct v4l2_plane planes[VIDEO_MAX_PLANES] = {0};
    struct v4l2_buffer buffer = {
        .index = index, .type = cv4l2_queue_type(queue), .memory = cv4l2_queue_memory(queue),
        .field = V4L2_FIELD_NONE};
    buffer.timestamp.tv_sec = stamp / 1000000;
    buffer.timestamp.tv_usec = stamp % 1000000;
    if (queue.is_multiplanar) {
        for (unsigned int i = 0; i < plane_count && i < VIDEO_MAX_PLANES; i++) {
            planes[i].bytesused = used[i];
            if (!queue.is_imported) continue;
            planes[i].m.fd = descriptors[i];
            planes[i].length = lengths[i];
        }
        buffer.m.planes = planes;
        buffer.length = plane_count;
    } else {
        buffer.bytesused = used[0];
        if (queue.is_imported) {
            buffer.m.fd = descriptors[0];
            buffer.length = lengths[0];
        }
    }
    return cv4l2_raw_ioctl(queue.fd, VIDIOC_QBUF, &buffer);
}

// A buffer that the driver returned: the bytes in its first plane begin at `start`.
struct cv4l2_returned {
    unsigned int index, flags, start, used;
    long long stamp;
};
// Takes a buffer back without waiting. Returns 0 or the errno: EAGAIN if there is none.
static inline int cv4l2_dequeue_planes(struct cv4l2_queue queue, struct cv4l2_returned *returned) {
    struct v4l2_plane planes[VIDEO_MAX_PLANES] = {0};
    struct v4l2_buffer buffer = {.type = cv4l2_queue_type(queue), .memory = cv4l2_queue_memory(queue)};
    if (queue.is_multiplanar) {
        buffer.m.planes = planes;
        buffer.length = VIDEO_MAX_PLANES;
    }
    int code = cv4l2_raw_ioctl(queue.fd, VIDIOC_DQBUF, &buffer);
    if (code != 0) return code;
    returned->index = buffer.index;
    returned->flags = buffer.flags;
    returned->start = queue.is_multiplanar ? planes[0].data_offset : 0;
    returned->used = queue.is_multiplanar ? planes[0].bytesused : buffer.bytesused;
    returned->stamp = (long long)buffer.timestamp.tv_sec * 1000000 + buffer.timestamp.tv_usec;
    return 0;
}

// Starts or stops a queue. Returns 0 or the errno.
static inline int cv4l2_stream(struct cv4l2_queue queue, int is_on) {
    int type = (int)cv4l2_queue_type(queue);
    return cv4l2_raw_ioctl(queue.fd, is_on ? VIDIOC_STREAMON : VIDIOC_STREAMOFF, &type);
}
// Asks an encoder for the packets of all frames that it holds; the last buffer has V4L2_BUF_FLAG_LAST. Returns 0 or the
// errno.
static inline int cv4l2_drain(int fd) {
    struct v4l2_encoder_cmd command = {.cmd = V4L2_ENC_CMD_STOP};
    return cv4l2_raw_ioctl(fd, VIDIOC_ENCODER_CMD, &command);
}
// Reads the range of a control. Returns 0 or the errno.
static inline int cv4l2_control_range(int fd, unsigned int id, long long *minimum, long long *maximum) {
    struct v4l2_query_ext_ctrl query = {.id = id};
    int code = cv4l2_raw_ioctl(fd, VIDIOC_QUERY_EXT_CTRL, &query);
    if (code != 0) return code;
    if (query.flags & V4L2_CTRL_FLAG_DISABLED) return EINVAL;
    *minimum = query.minimum;
    *maximum = query.maximum;
    return 0;
}

#endif
