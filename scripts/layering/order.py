"""The order of the modules and of their folders; docs/design/design.md describes it."""

# The modules, from the ground up. Modules on one floor do not know each other.
FLOORS = [
    ["Accelerate", "Cryptography", "FileSystem", "RealTime", "_Testing_CoreGraphics"],
    ["CoreGraphics", "MediaTypes"],
    ["MediaCodecs", "MovieFile"],
    ["Demuxing", "Signing"],
    ["AssetIO", "Capture", "RTSP"],
    ["AudioFiles", "ONVIF"],
    ["LibcameraCapture", "NetworkCapture"],
    # Apple's names, which nothing of ours uses (docs/design/decisions/avfoundation.md).
    ["AVFoundation", "CoreText"],
    [
        "AVCapture", "AVFAudio", "AudioToolbox", "CoreMedia", "CoreVideo", "ImageIO", "UniformTypeIdentifiers",
        "VideoToolbox",
    ],
    ["CommandInterface"],
    ["MovieCommands", "RecorderStorage"],
    ["RecorderControl"],
    ["ArchiveService", "RecorderService", "WebService"],
    ["recorder", "RecorderWeb"],
]

# Who may import a C library, or the devices: the page and the archives do without the libraries of V4L2 and ALSA. Only
# Apple's names have audio files, so that recorder is built without them.
OWNERS = {
    "AudioFiles": ["AVFoundation"],
    "Capture": ["AVCapture", "LibcameraCapture", "NetworkCapture", "RecorderService"],
    "CALSA": ["Capture"],
    "CCrypt": ["WebService"],
    "CFFmpeg": ["Demuxing", "MediaCodecs"],
    "CFreeType": ["MediaCodecs"],
    "CLinux": [
        "FileSystem", "RealTime", "MediaCodecs", "MovieFile", "LibcameraCapture", "CommandInterface", "RecorderStorage",
        "RecorderControl", "ArchiveService"],
    "COpenSSL": ["Cryptography"],
    "CSQLite": ["RecorderStorage"],
    "CTurboJPEG": ["MediaCodecs"],
    "CV4L2": ["Capture"],
    "CX264": ["MediaCodecs"],
    "CYUV": ["MediaCodecs"],
}

# Modules whose calls with a path are the C library's own, or that FileSystem itself depends on.
PATH_OWNERS = {"FileSystem", "Accelerate", "AVFoundation", "Capture", "RealTime", "MediaTypes"}

# Modules that are no product and still declare things public, and why.
KNOWN_PUBLIC = {}

# The folders of each module that has any, from the ground up, those inside a folder by their path. Folders on one floor
# do not know each other. Files directly in a module are below all of its folders.
FOLDERS = {
    "MovieFile": [
        ["Storage"],
        ["Atoms"],
        ["Metadata", "SampleDescriptions", "SampleTables"],
        ["Header"],
        ["Fragments"],
        ["Finishing"],
        ["Checking", "Segments", "Sealing", "Mirroring"],
        ["Editing"],
    ],
    "Signing": [["Keys"], ["Heads"], ["Signing", "Cutting", "Verifying"]],
    "AssetIO": [
        ["Settings", "Samples", "Destinations"],
        ["Mirroring"],
        # What reads.
        ["Assets"],
        ["Composition", "Inspection", "Reading"],
        ["Mixing", "Stills", "VideoComposition", "Waveforms"],
        # What writes.
        ["Admission", "Muxing"],
        ["Encoding"],
        ["Inputs"],
        ["Writer"],
        # What does both.
        ["Export/Transcode"],
        ["Export/Plan"],
        ["Export/Parts"],
        ["Export/Run"],
        ["Export"],
    ],
    "AudioFiles": [["Containers"], ["Reading", "Writing"]],
    "AVFoundation": [
        ["CoreFoundation"],
        ["Constants", "CoreAudio", "UniformTypeIdentifiers"],
        ["CoreVideo", "Errors", "Settings"],
        ["CoreGraphics", "CoreMedia"],
        ["AVFAudio", "VideoToolbox"],
        ["AudioToolbox"],
        ["Loading"],
        ["Metadata"],
        ["Assets"],
        ["Composition", "Movies"],
        ["Reading", "Writing", "Stills", "Export"],
    ],
    "AVCapture": [
        ["Devices"],
        ["Connections"],
        ["DataOutputs", "FileOutputs", "Session"],
        ["Photos", "Synchronizing"],
    ],
    "CoreGraphics": [["CoreFoundation"], ["Geometry", "Images"], ["Paths"], ["Drawing"]],
    "CoreText": [["Attributes", "Names"], ["Pango"], ["Fonts"], ["Layout"], ["Lines"], ["Frames"]],
    "Capture": [
        ["Camera", "Microphone", "Hotplug"],
        ["HardwareEncoder", "Keeping", "TestSources"],
    ],
    "LibcameraCapture": [["Messages"], ["Session"], ["Helper"], ["Camera"]],
    "NetworkCapture": [["Reception", "Sockets"], ["Camera", "Discovery"]],
    "ONVIF": [["XML"], ["Messages"], ["HTTP"], ["Discovery"], ["Inquiry"]],
    "RTSP": [
        ["Authentication", "Packets"],
        ["Messages"],
        ["Description"],
        ["Clock", "Depacketizing"],
        ["Session"],
    ],
    "MediaCodecs": [
        ["Audio", "Bitstream", "Pixels", "JPEG", "Stamp"],
        ["Decoding", "Filters", "Frames", "H264", "Stills", "StoredForm"],
        ["VideoEncoders", "Text"],
    ],
    "CommandInterface": [["Memory", "Signals", "Text"], ["Failures", "Options"], ["Output", "Processes"]],
    "MovieCommands": [
        ["Images", "Reencoding"],
        ["Combining", "Frames", "Inspection", "Repair", "Verifying", "Waveform"],
        ["Clips"],
    ],
    "RecorderStorage": [
        ["Options"],
        ["Environment", "Status"],
        ["Output", "Hooks"],
        ["Configuration"],
        ["Retention"],
        ["Mirror"],
    ],
    "RecorderControl": [
        ["Live", "Metrics"],
        ["Control", "ServiceManager"],
        ["Launch"],
        ["Text"],
    ],
    "RecorderService": [
        ["Copying", "Devices", "Meters"],
        ["Doctor/Facts", "Pipeline"],
        ["Doctor/Checks", "Session"],
        ["Doctor", "Process"],
    ],
    "ArchiveService": [
        ["Paths"],
        ["Plan"],
        ["Planning", "Accounts"],
        ["Tasks"],
        ["Engines"],
        ["Running"],
        ["Reports"],
    ],
    "WebService": [
        ["Accounts", "Metrics", "Watching", "Recordings"],
        ["Clips"],
        ["Server"],
        ["Service"],
    ],
}
