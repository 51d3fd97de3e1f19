"""Flash and clap: eight seconds that repeat, as packets of H.264, AAC and G.711.

The first frame of each second is white and a keyframe, and a beep begins with it. The pitch of the beep is that of the second in the
period, so that a beep is known even if it is seconds away from its flash.
"""
import array
import math
import subprocess
from dataclasses import dataclass

from network.camera import access_units

RATE = 25
PERIOD = 8  # seconds: a whole number of frames, of AAC packets at 48 kHz, and of G.711 packets
BEEP = 0.04  # seconds
PITCH, STEP = 600, 250  # Hz: that of the first second, and the distance to the next
LOUD = 0.2  # of full scale: where a beep begins


@dataclass
class Audio:
    """Packets of one encoding."""

    name: str
    rate: int  # audio frames a second
    size: int  # audio frames in a packet
    packets: list[bytes]
    description: list[str]  # lines of SDP, for payload type 97


def ffmpeg(*words, data=None):
    return subprocess.run(["ffmpeg", "-v", "error", *words, "-"], input=data, stdout=subprocess.PIPE, check=True).stdout


def video():
    """For each frame its NAL units, without parameter sets, and the two parameter sets."""
    source = (f"testsrc2=size=320x240:rate={RATE}:duration={PERIOD},lutyuv=y=val*0.6,"
              f"drawbox=w=iw:h=ih:color=white:t=fill:enable='not(mod(n,{RATE}))'")
    data = ffmpeg("-f", "lavfi", "-i", source, "-c:v", "libx264", "-pix_fmt", "yuv420p", "-profile:v", "baseline", "-preset", "veryfast",
                  "-b:v", "400k", "-g", str(RATE), "-x264-params", "scenecut=0:ref=1:aud=1:threads=1", "-f", "h264")
    return access_units(data)


def beeps(rate, seconds):
    """Signed 16 bits, one channel."""
    samples = array.array("h", bytes(2 * rate * seconds))
    for second in range(seconds):
        pitch = PITCH + STEP * (second % PERIOD)
        for at in range(int(BEEP * rate)):
            samples[second * rate + at] = round(26_000 * math.sin(2 * math.pi * pitch * at / rate))
    return samples.tobytes()


def aac():
    rate, size = 48_000, 1024
    count = PERIOD * rate // size
    # The packets of the middle of three periods. The encoder's first packet is from before the first audio frame.
    data = ffmpeg("-f", "s16le", "-ar", str(rate), "-ac", "1", "-i", "-", "-c:a", "aac", "-b:a", "96k", "-f", "adts",
                  data=beeps(rate, 3 * PERIOD))
    packets = []
    while data:
        length = (data[3] & 3) << 11 | data[4] << 3 | data[5] >> 5
        packets.append(data[7:length])
        data = data[length:]
    units = packets[count + 1:2 * count + 1]
    return Audio("AAC", rate, size, [access_unit_header(unit) + unit for unit in units], [
        "a=rtpmap:97 mpeg4-generic/48000/1",
        "a=fmtp:97 streamtype=5;profile-level-id=1;mode=AAC-hbr;config=1188;sizelength=13;indexlength=3;indexdeltalength=3"])


def access_unit_header(unit):
    """The length of the headers in bits, and one header: 13 bits of size and 3 of index (RFC 3640)."""
    return b"\0\x10" + (len(unit) << 3).to_bytes(2, "big")


def law():
    rate, size = 8000, 160
    data = ffmpeg("-f", "s16le", "-ar", str(rate), "-ac", "1", "-i", "-", "-c:a", "pcm_mulaw", "-f", "mulaw", data=beeps(rate, PERIOD))
    return Audio("G.711", rate, size, [data[at:at + size] for at in range(0, len(data), size)], ["a=rtpmap:97 PCMU/8000"])
