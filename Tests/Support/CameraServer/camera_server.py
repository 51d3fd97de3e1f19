#!/usr/bin/python3
"""A network camera on the loopback interface, of GStreamer's RTSP server.

  camera_server.py PORT [--login USER:PASSWORD] [--authentication digest|basic] [--transport tcp|udp]

It serves rtsp://127.0.0.1:PORT/VIDEO and /VIDEO+AUDIO. VIDEO is h264, h264-b-frames, h265, h265-open-gops or mjpeg; AUDIO is aac, mulaw, l16
or opus. All clients of a path get the same packets. The content depends only on the number of the frame: a moving texture
of 320x240 at 25 fps, which is white for the first frame of each second, when a beep of 20 ms begins.

--transport refuses the other transport. The server ends with the program that started it.
"""
import argparse
import array
import contextlib
import math
import os
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtsp", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtsp, GstRtspServer  # pylint: disable=wrong-import-position

WIDTH, HEIGHT, RATE = 320, 240, 25
SAMPLE_RATE, BLOCK = 48_000, 480  # audio frames a second, and in a buffer

# Names as of gst-launch-1.0. Without B-frames, RTP's times are in the order of decoding.
VIDEO = {
    "h264": "x264enc threads=1 speed-preset=ultrafast tune=zerolatency bframes=0 key-int-max=25 bitrate=800 ! h264parse "
            "! rtph264pay config-interval=-1 pt=96",
    "h264-b-frames": "x264enc threads=1 speed-preset=veryfast bframes=2 b-adapt=false rc-lookahead=5 key-int-max=25 bitrate=800 "
                     "! video/x-h264,profile=main ! h264parse ! rtph264pay config-interval=-1 pt=96",
    "h265": "x265enc speed-preset=ultrafast tune=zerolatency key-int-max=25 bitrate=800 "
            "option-string=bframes=0:pools=1:frame-threads=1:log-level=error ! h265parse ! rtph265pay config-interval=-1 pt=96",
    # Each keyframe but the first has three leading frames: 24 is a multiple of a pyramid of four.
    "h265-open-gops": "x265enc speed-preset=ultrafast key-int-max=24 bitrate=800 option-string=open-gop=1:min-keyint=24:"
                      "scenecut=0:bframes=3:b-adapt=0:rc-lookahead=5:pools=1:frame-threads=1:log-level=error ! h265parse "
                      "! rtph265pay config-interval=-1 pt=96",
    "mjpeg": "jpegenc quality=80 ! rtpjpegpay pt=26",
}
AUDIO = {
    "aac": "avenc_aac bitrate=96000 ! aacparse ! rtpmp4gpay pt=97",
    "mulaw": "audio/x-raw,rate=8000 ! mulawenc ! rtppcmupay pt=0",
    "l16": "rtpL16pay pt=97",
    "opus": "opusenc bitrate=64000 ! rtpopuspay pt=97",
}

TEXTURE = bytes(int(90 + 30 * math.sin(x * 0.07) + 30 * math.sin(y * 0.11)) + (x * 7919 + y * 104729) % 23
                for y in range(2 * HEIGHT) for x in range(WIDTH))
CHROMA = bytes([128]) * (WIDTH * HEIGHT // 2)
WHITE = bytes([235]) * (WIDTH * HEIGHT)
BEEP = array.array("h", (int(26_000 * math.sin(2 * math.pi * 1000 * n / SAMPLE_RATE)) for n in range(BLOCK))).tobytes()
BEEP_BLOCKS = 2
SILENCE = bytes(2 * BLOCK)


def frame(number):
    """I420."""
    if number % RATE == 0:
        return WHITE + CHROMA
    row = number * 3 % HEIGHT
    return TEXTURE[row * WIDTH:(row + HEIGHT) * WIDTH] + CHROMA


def block(number):
    """16 bits, one channel."""
    return BEEP if number % (SAMPLE_RATE // BLOCK) < BEEP_BLOCKS else SILENCE


class Feed:
    """Gives an appsrc its buffers; the element after it paces them."""

    def __init__(self, source, content, duration):
        self.content, self.duration, self.number = content, duration, 0
        source.connect("need-data", self.push)

    def push(self, source, _):
        buffer = Gst.Buffer.new_wrapped(self.content(self.number))
        buffer.pts = buffer.dts = self.number * self.duration
        buffer.duration = self.duration
        self.number += 1
        source.emit("push-buffer", buffer)


def description(video, audio):
    """The pipeline of a path."""
    text = (f"appsrc name=video is-live=true format=time max-buffers=1 "
            f"caps=video/x-raw,format=I420,width={WIDTH},height={HEIGHT},framerate={RATE}/1 "
            f"! clocksync ! queue max-size-buffers=8 ! {VIDEO[video]} name=pay0 ")
    if audio:
        text += (f"appsrc name=audio is-live=true format=time max-buffers=1 "
                 f"caps=audio/x-raw,format=S16LE,layout=interleaved,rate={SAMPLE_RATE},channels=1 "
                 f"! clocksync ! queue max-size-buffers=100 ! audioconvert ! audioresample ! {AUDIO[audio]} name=pay1 ")
    return f"( {text})"


def prepared(media):
    """Makes the sender reports say when a frame was captured, as cameras do, instead of when the server got to send it."""
    elements = media.get_element().get_parent().iterate_recurse()
    while True:
        result, element = elements.next()
        if result != Gst.IteratorResult.OK:
            break
        if element.find_property("rtcp-sync-send-time"):
            element.set_property("rtcp-sync-send-time", False)


def configured(_, media, feeds):
    element = media.get_element()
    media.connect("prepared", prepared)
    feeds[:] = [Feed(element.get_by_name("video"), frame, Gst.SECOND // RATE)]
    audio = element.get_by_name("audio")
    if audio:
        feeds.append(Feed(audio, block, Gst.SECOND * BLOCK // SAMPLE_RATE))


def add_mount(mounts, path, pipeline, arguments):
    factory = GstRtspServer.RTSPMediaFactory()
    factory.set_launch(pipeline)
    factory.set_shared(True)
    if arguments.transport:
        protocol = {"tcp": GstRtsp.RTSPLowerTrans.TCP, "udp": GstRtsp.RTSPLowerTrans.UDP}[arguments.transport]
        factory.set_protocols(protocol)
    # Keeps the feeds for as long as the media.
    factory.connect("media-configure", configured, [])
    if arguments.login:
        permissions = GstRtspServer.RTSPPermissions()
        permissions.add_permission_for_role("user", "media.factory.access", True)
        permissions.add_permission_for_role("user", "media.factory.construct", True)
        factory.set_permissions(permissions)
    mounts.add_factory(path, factory)


def protect(server, arguments):
    user, password = arguments.login.split(":", 1)
    auth = GstRtspServer.RTSPAuth()
    token = GstRtspServer.RTSPToken()
    token.set_string("media.factory.role", "user")
    if arguments.authentication == "basic":
        auth.set_supported_methods(GstRtsp.RTSPAuthMethod.BASIC)
        auth.add_basic(GstRtspServer.RTSPAuth.make_basic(user, password), token)
    else:
        auth.set_supported_methods(GstRtsp.RTSPAuthMethod.DIGEST)
        auth.add_digest(user, password, token)
    server.set_auth(auth)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("port", type=int)
    parser.add_argument("--login", metavar="USER:PASSWORD")
    parser.add_argument("--authentication", choices=["digest", "basic"], default="digest")
    parser.add_argument("--transport", choices=["tcp", "udp"])
    arguments = parser.parse_args()
    # A camera has a processor of its own, however busy the recorder's machine is.
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, -10)
    Gst.init(None)
    server = GstRtspServer.RTSPServer()
    server.set_address("127.0.0.1")
    server.set_service(str(arguments.port))
    mounts = server.get_mount_points()
    for video in VIDEO:
        for audio in [None, *AUDIO]:
            add_mount(mounts, f"/{video}+{audio}" if audio else f"/{video}", description(video, audio), arguments)
    if arguments.login:
        protect(server, arguments)
    if not server.attach(None):
        sys.exit(f"cannot listen on port {arguments.port}")
    loop = GLib.MainLoop()
    parent = os.getppid()
    GLib.timeout_add(500, lambda: os.getppid() == parent or loop.quit() or False)
    # Sessions of clients that disappeared.
    GLib.timeout_add_seconds(2, lambda: server.get_session_pool().cleanup() >= 0)
    loop.run()


if __name__ == "__main__":
    main()
