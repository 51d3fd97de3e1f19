// swift-tools-version: 6.2
import PackageDescription

// Warnings are errors in continuous integration (.ci/run). Elsewhere they are not: a newer compiler or FFmpeg that
// deprecates a call must not break the build of the package's users.
let strictness: [SwiftSetting] =
    Context.environment["WARNINGS_ARE_ERRORS"] == nil ? [] : [.treatAllWarnings(as: .error)]

/// The settings of every target in this package: Swift 6 mode, and imports are internal by default.
let ours: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ] + strictness

/// The settings of programs that were written for AVFoundation, in each of Swift's language modes.
let swift5Program: [SwiftSetting] = [.swiftLanguageMode(.v5)] + strictness
let swift6Program: [SwiftSetting] = [.swiftLanguageMode(.v6)] + strictness

/// The folders of Sources, and the modules in each. Tests has the same folders, with the tests of these modules.
let folders = [
    "C": [
        "CALSA", "CCrypt", "CFFmpeg", "CFreeType", "CLinux", "COpenSSL", "CSQLite", "CTurboJPEG", "CV4L2", "CX264",
        "CYUV",
    ],
    "Media": [
        "RealTime", "FileSystem", "Cryptography", "MediaTypes", "MediaCodecs", "MovieFile", "Demuxing", "Signing",
    ],
    "Library": ["AssetIO", "AudioFiles", "Capture", "RTSP", "ONVIF", "NetworkCapture", "LibcameraCapture"],
    "Apple": [
        "AVFoundation", "AVCapture", "AVFAudio", "AudioToolbox", "CoreMedia", "CoreVideo", "CoreGraphics", "CoreText",
        "ImageIO", "Accelerate", "UniformTypeIdentifiers", "VideoToolbox", "_Testing_CoreGraphics",
    ],
    "Service": [
        "CommandInterface", "MovieCommands", "RecorderStorage", "RecorderControl", "RecorderService", "WebService",
        "ArchiveService",
    ],
    "Programs": ["recorder", "RecorderWeb"],
]

let package = Package(
    name: "recorder",
    products: [
        .library(name: "AssetIO", targets: ["AssetIO"]),
        .library(name: "Capture", targets: ["Capture"]),
        .library(name: "MediaTypes", targets: ["MediaTypes"]),
        // Apple's names (docs/guide/avfoundation.md). No other product depends on them: a module called CoreGraphics
        // makes `canImport(CoreGraphics)` true for everything that is built after it.
        .library(name: "AVFoundation", targets: ["AVFoundation", "AVFAudio", "CoreMedia", "CoreVideo"]),
        .library(name: "AVCapture", targets: ["AVCapture"]),
        .library(name: "AVFAudio", targets: ["AVFAudio"]),
        .library(name: "AudioToolbox", targets: ["AudioToolbox"]),
        .library(name: "CoreMedia", targets: ["CoreMedia"]),
        .library(name: "CoreVideo", targets: ["CoreVideo"]),
        .library(name: "CoreGraphics", targets: ["CoreGraphics"]),
        .library(name: "CoreText", targets: ["CoreText"]),
        .library(name: "ImageIO", targets: ["ImageIO"]),
        .library(name: "VideoToolbox", targets: ["VideoToolbox"]),
        .library(name: "Accelerate", targets: ["Accelerate"]),
        .library(name: "UniformTypeIdentifiers", targets: ["UniformTypeIdentifiers"]),
        .executable(name: "recorder", targets: ["recorder"]),
        .executable(name: "recorder-web", targets: ["RecorderWeb"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.34.1"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.0.0"),
    ],
    targets: [
        // C libraries: a module map, and a header with inline functions for declarations that Swift cannot import.
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CV4L2", pkgConfig: "libv4l2", providers: [.apt(["libv4l-dev"])]),
        .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
        .systemLibrary(name: "CX264", providers: [.apt(["libx264-dev"])]),
        .systemLibrary(
            name: "CFFmpeg", pkgConfig: "libavformat",
            providers: [
                .apt([
                    "libavformat-dev", "libavcodec-dev", "libavutil-dev", "libswresample-dev", "libavfilter-dev",
                ])
            ]),
        .systemLibrary(name: "CFreeType"),
        .systemLibrary(name: "CYUV", providers: [.apt(["libyuv-dev"])]),
        .systemLibrary(name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CCrypt", providers: [.apt(["libcrypt-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),

        .target(name: "RealTime", dependencies: ["CLinux"], swiftSettings: ours),
        .target(name: "FileSystem", dependencies: ["CLinux"], swiftSettings: ours),
        .target(name: "Cryptography", dependencies: ["COpenSSL"], swiftSettings: ours),
        .target(name: "MediaTypes", dependencies: ["RealTime"], swiftSettings: ours),
        .target(
            name: "MediaCodecs",
            dependencies: [
                "MediaTypes", "RealTime", "FileSystem", "CLinux", "CX264", "CFFmpeg", "CFreeType", "CYUV", "CTurboJPEG",
            ],
            swiftSettings: ours),
        .target(
            name: "MovieFile", dependencies: ["MediaTypes", "RealTime", "FileSystem", "CLinux"], swiftSettings: ours),
        .target(
            name: "Signing",
            dependencies: ["MovieFile", "MediaTypes", "RealTime", "FileSystem", "Cryptography"], swiftSettings: ours),
        .target(
            name: "Demuxing", dependencies: ["MediaTypes", "MediaCodecs", "MovieFile", "FileSystem", "CFFmpeg"],
            swiftSettings: ours),
        .target(
            name: "AssetIO",
            dependencies: [
                "MediaTypes", "MediaCodecs", "MovieFile", "Demuxing", "RealTime", "FileSystem",
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: ours),
        // Audio files, for Apple's names alone.
        .target(
            name: "AudioFiles", dependencies: ["AssetIO", "MediaCodecs", "MovieFile", "MediaTypes", "FileSystem"],
            swiftSettings: ours),
        // Apple's names. Unrelated packages test canImport(CoreGraphics) and canImport(Accelerate). So these two depend
        // on Foundation alone, and CoreText on Core Graphics: a module that needs C modules is unusable for packages
        // without their module maps. Cairo and Pango are loaded at run time (docs/design/decisions/drawing.md).
        .target(name: "CoreGraphics", dependencies: ["_Testing_CoreGraphics"], swiftSettings: ours),
        .target(name: "_Testing_CoreGraphics"),
        .target(name: "CoreText", dependencies: ["CoreGraphics"], swiftSettings: ours),
        .target(name: "Accelerate", swiftSettings: ours),
        // AVFoundation's names on top of these. One target contains the code, the others re-export it.
        .target(
            name: "AVFoundation",
            dependencies: [
                "CoreGraphics", "AudioFiles", "AssetIO", "MediaCodecs", "MovieFile", "MediaTypes", "RealTime",
            ],
            swiftSettings: ours),
        .target(name: "AVFAudio", dependencies: ["AVFoundation"], swiftSettings: ours),
        .target(name: "AudioToolbox", dependencies: ["AVFoundation"], swiftSettings: ours),
        // Capture's names are a module of their own: only programs that capture link the libraries of V4L2 and ALSA.
        .target(
            name: "AVCapture",
            dependencies: [
                "AVFoundation", "AssetIO", "Capture", "FileSystem", "MediaCodecs", "MediaTypes", "RealTime",
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: ours),
        .target(name: "CoreMedia", dependencies: ["AVFoundation"], swiftSettings: ours),
        .target(name: "CoreVideo", dependencies: ["AVFoundation"], swiftSettings: ours),
        .target(name: "VideoToolbox", dependencies: ["AVFoundation"], swiftSettings: ours),
        .target(name: "UniformTypeIdentifiers", dependencies: ["AVFoundation"], swiftSettings: ours),
        .target(name: "ImageIO", dependencies: ["AVFoundation"], swiftSettings: ours),
        .target(
            name: "Capture",
            dependencies: ["MediaTypes", "MediaCodecs", "RealTime", "CV4L2", "CALSA"],
            swiftSettings: ours),
        // The protocols of network cameras, without sockets and threads.
        .target(name: "RTSP", dependencies: ["MediaTypes", "MediaCodecs", "Cryptography"], swiftSettings: ours),
        // How network cameras are found, and asked for their streams; without sockets and threads.
        .target(name: "ONVIF", dependencies: ["RTSP", "MediaTypes"], swiftSettings: ours),
        // Network cameras as push sources: their sockets and threads. Apart from Capture, which is a product.
        .target(
            name: "NetworkCapture",
            dependencies: ["Capture", "ONVIF", "RTSP", "Cryptography", "MediaCodecs", "MediaTypes", "RealTime"],
            swiftSettings: ours),
        // Cameras behind libcamera as push sources: the messages of their helper, and the session with it.
        .target(
            name: "LibcameraCapture", dependencies: ["Capture", "MediaTypes", "RealTime", "FileSystem", "CLinux"],
            swiftSettings: ours),
        .target(
            name: "CommandInterface", dependencies: ["AssetIO", "MediaTypes", "RealTime", "FileSystem", "CLinux"],
            swiftSettings: ours),
        .target(
            name: "MovieCommands",
            dependencies: [
                "CommandInterface", "AssetIO", "Signing", "MovieFile", "Demuxing", "MediaCodecs", "MediaTypes",
                "RealTime", "FileSystem",
            ],
            swiftSettings: ours),
        // A recorder in three modules: what it keeps, how it is controlled, how it records. Only the last one needs
        // devices; the page and the archives do without it, and without the libraries of V4L2 and ALSA.
        .target(
            name: "RecorderStorage",
            dependencies: [
                "CommandInterface", "AssetIO", "MovieFile", "RTSP", "MediaTypes", "RealTime", "FileSystem", "CLinux",
                "CSQLite",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: ours),
        .target(
            name: "RecorderControl",
            dependencies: [
                "RecorderStorage", "CommandInterface", "MovieFile", "MediaTypes", "RealTime", "FileSystem", "CLinux",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: ours),
        .target(
            name: "RecorderService",
            dependencies: [
                "RecorderControl", "RecorderStorage", "CommandInterface", "NetworkCapture", "ONVIF", "LibcameraCapture",
                "Capture", "AssetIO", "Signing", "MovieFile", "MediaCodecs", "MediaTypes", "RealTime", "FileSystem",
                "Cryptography",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: ours),
        .executableTarget(
            name: "recorder",
            dependencies: [
                "ArchiveService", "RecorderService", "RecorderControl", "RecorderStorage", "MovieCommands", "Signing",
                "CommandInterface", "AssetIO", "MediaTypes", "RealTime", "FileSystem",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: ours),

        // Re-encoding of thousands of movies, on one machine or on many.
        .target(
            name: "ArchiveService",
            dependencies: [
                "RecorderControl", "RecorderStorage", "MovieCommands", "AssetIO", "MovieFile", "MediaTypes", "RealTime",
                "CommandInterface", "CLinux", "FileSystem", "Cryptography",
            ],
            swiftSettings: ours),

        // The page: a separate program, which keeps a server for the network out of the recorder.
        .target(
            name: "WebService",
            dependencies: [
                "RecorderControl", "RecorderStorage", "MovieCommands", "AssetIO", "MediaTypes", "RealTime",
                "CommandInterface", "CCrypt", "FileSystem", "Cryptography",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdHTTP2", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: ours),
        .executableTarget(
            name: "RecorderWeb",
            dependencies: [
                "WebService", "RecorderControl", "RecorderStorage", "CommandInterface", "MediaTypes", "RealTime",
                "FileSystem",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: ours),

        // Examples to copy from; built and checked with the tests.
        .executableTarget(
            name: "ReencodeTandem", dependencies: ["AssetIO", "MediaTypes"], path: "Examples/ReencodeTandem",
            swiftSettings: ours),
        .executableTarget(
            name: "ReencodeAsync", dependencies: ["AssetIO", "MediaTypes"], path: "Examples/ReencodeAsync",
            swiftSettings: ours),
        .executableTarget(
            name: "ShrinkMovie", dependencies: ["AVFoundation"], path: "Examples/AVFoundation",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "ImagesToMovie", dependencies: ["AVFoundation", "CoreGraphics", "CoreText", "ImageIO"],
            path: "Examples/ImagesToMovie", swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "CaptureToWriter", dependencies: ["AVCapture"], path: "Examples/CaptureToWriter",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "CaptureMovie", dependencies: ["AVCapture"], path: "Examples/CaptureMovie",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // A program that is measured (scripts/bench, CaptureBudgetTests).
        .executableTarget(
            name: "CaptureWithWriter", dependencies: ["AVCapture", "Capture", "MediaTypes"],
            path: "Tests/Benchmarks/CaptureWithWriter", swiftSettings: ours),
        .target(
            name: "Snippets", dependencies: ["AssetIO", "Capture", "MediaTypes"], path: "Examples/Snippets",
            swiftSettings: ours),

        // Shared helpers of the tests: synthetic media, temporary directories, other programs as judges.
        .target(
            name: "TestSupport", dependencies: ["MediaCodecs", "MovieFile", "MediaTypes"],
            path: "Tests/Support/TestSupport",
            swiftSettings: ours),
        // Cameras and microphones controlled by a test.
        .target(
            name: "FakeDevices", dependencies: ["Capture", "MediaTypes", "RealTime"], path: "Tests/Support/FakeDevices",
            swiftSettings: ours),
        // Network cameras in software, on the loopback interface.
        .target(
            name: "FakeNetworkDevices",
            dependencies: ["Capture", "RTSP", "Demuxing", "Cryptography", "MediaTypes", "RealTime", "COpenSSL"],
            path: "Tests/Support/FakeNetworkDevices", swiftSettings: ours),
        .testTarget(name: "FileSystemTests", dependencies: ["FileSystem", "TestSupport"], swiftSettings: ours),
        .testTarget(name: "CryptographyTests", dependencies: ["Cryptography"], swiftSettings: ours),
        .testTarget(name: "RealTimeTests", dependencies: ["RealTime", "TestSupport"], swiftSettings: ours),
        .testTarget(name: "MediaTypesTests", dependencies: ["MediaTypes", "TestSupport"], swiftSettings: ours),
        .testTarget(
            name: "MediaCodecsTests", dependencies: ["MediaCodecs", "MovieFile", "MediaTypes", "TestSupport"],
            swiftSettings: ours),
        .testTarget(
            name: "MovieFileTests",
            dependencies: ["MovieFile", "Demuxing", "MediaCodecs", "MediaTypes", "TestSupport"], swiftSettings: ours),
        .testTarget(
            name: "SigningTests",
            dependencies: ["Signing", "AssetIO", "Demuxing", "MovieFile", "MediaCodecs", "MediaTypes", "TestSupport"],
            swiftSettings: ours),
        .testTarget(
            name: "DemuxingTests", dependencies: ["Demuxing", "MovieFile", "MediaCodecs", "MediaTypes", "TestSupport"],
            swiftSettings: ours),
        .testTarget(
            name: "AssetIOTests",
            dependencies: ["AssetIO", "Demuxing", "MovieFile", "MediaCodecs", "MediaTypes", "RealTime", "TestSupport"],
            swiftSettings: ours),
        .testTarget(
            name: "AudioFilesTests", dependencies: ["AudioFiles", "MediaTypes", "TestSupport"], swiftSettings: ours),
        .testTarget(
            name: "AVFoundationTests",
            dependencies: [
                "AVFoundation", "AVFAudio", "AudioToolbox", "CoreMedia", "CoreVideo", "CoreGraphics", "CoreText",
                "ImageIO", "VideoToolbox", "Accelerate", "UniformTypeIdentifiers", "AssetIO", "MediaTypes",
                "TestSupport",
            ],
            swiftSettings: ours),
        // Programs as in the listings of Apple's guide to AVFoundation. The second target compiles the files of the first
        // in Swift 5 mode: a package may not compile a file in two language modes.
        .plugin(name: "SharedSources", capability: .buildTool(), path: "Tests/Apple/SharedSources"),
        .testTarget(
            name: "GuideTests", dependencies: ["AVFoundation", "TestSupport"], path: "Tests/Apple/GuideTests",
            swiftSettings: swift6Program, plugins: ["SharedSources"]),
        .testTarget(
            name: "GuideSwift5Tests", dependencies: ["AVFoundation", "TestSupport"],
            path: "Tests/Apple/GuideSwift5Tests", swiftSettings: swift5Program, plugins: ["SharedSources"]),
        .testTarget(
            name: "AVCaptureTests",
            dependencies: [
                "AVCapture", "AVFoundation", "AssetIO", "Capture", "MediaTypes", "RealTime", "FakeDevices",
                "TestSupport",
            ],
            swiftSettings: ours),
        .testTarget(
            name: "ExamplesTests",
            dependencies: [
                "ReencodeTandem", "ReencodeAsync", "ShrinkMovie", "ImagesToMovie", "CaptureToWriter", "CaptureMovie",
                "Snippets", "AssetIO", "MediaTypes", "RealTime", "FileSystem", "TestSupport",
            ],
            path: "Tests/Programs/ExamplesTests",
            swiftSettings: ours),
        .testTarget(
            name: "CaptureTests",
            dependencies: ["Capture", "MediaCodecs", "MediaTypes", "RealTime", "CALSA", "FakeDevices", "TestSupport"],
            swiftSettings: ours),
        .testTarget(
            name: "RTSPTests", dependencies: ["RTSP", "MediaTypes", "TestSupport"], swiftSettings: ours),
        .testTarget(name: "ONVIFTests", dependencies: ["ONVIF", "MediaTypes"], swiftSettings: ours),
        .testTarget(
            name: "NetworkCaptureTests",
            dependencies: [
                "NetworkCapture", "Capture", "ONVIF", "RTSP", "MediaTypes", "RealTime", "FakeNetworkDevices",
                "TestSupport",
            ],
            swiftSettings: ours),
        .testTarget(
            name: "LibcameraCaptureTests",
            dependencies: ["LibcameraCapture", "Capture", "MediaTypes", "RealTime", "TestSupport"],
            swiftSettings: ours),
        .testTarget(
            name: "CommandInterfaceTests", dependencies: ["CommandInterface", "MediaTypes", "TestSupport"],
            swiftSettings: ours),
        .testTarget(name: "MovieCommandsTests", dependencies: ["MovieCommands"], swiftSettings: ours),
        .testTarget(
            name: "RecorderServiceTests",
            dependencies: [
                "RecorderService", "RecorderControl", "RecorderStorage", "MovieCommands", "CommandInterface", "AssetIO",
                "Capture", "ONVIF", "RTSP", "LibcameraCapture", "Demuxing", "MediaCodecs", "MediaTypes", "RealTime",
                "FileSystem", "TestSupport", "FakeDevices", "FakeNetworkDevices",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: ours),
        .testTarget(
            name: "ArchiveServiceTests",
            dependencies: [
                "ArchiveService", "RecorderStorage", "CommandInterface", "AssetIO", "MediaTypes", "RealTime",
                "FileSystem", "TestSupport",
            ],
            swiftSettings: ours),
        .testTarget(
            name: "RecorderCommandTests",
            dependencies: [
                "recorder", "CaptureWithWriter", "RecorderControl", "RecorderStorage", "MovieCommands",
                "CommandInterface", "MediaTypes", "FileSystem", "Cryptography", "TestSupport",
            ],
            path: "Tests/Programs/RecorderCommandTests",
            swiftSettings: ours),
        .testTarget(
            name: "WebServiceTests",
            dependencies: [
                "WebService", "RecorderControl", "RecorderStorage", "AssetIO", "MovieFile", "CommandInterface",
                "MediaTypes", "RealTime", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: ours),
        .testTarget(
            name: "DeviceLabTests",
            dependencies: [
                "AVCapture", "Capture", "RecorderService", "RecorderStorage", "CommandInterface", "AssetIO",
                "MediaTypes", "RealTime", "CALSA", "CV4L2", "TestSupport",
            ],
            path: "Tests/DeviceLab/DeviceLabTests",
            swiftSettings: ours),
    ]
)

// Fuzzing needs libFuzzer's own `main`: these targets only exist when scripts/fuzz requests them.
if Context.environment["RECORDER_FUZZING"] != nil {
    package.targets += [
        .target(
            name: "FuzzSupport", dependencies: ["MovieFile", "MediaTypes"], path: "Tests/Fuzz/FuzzSupport",
            swiftSettings: ours),
        .executableTarget(
            name: "FuzzFinisher", dependencies: ["FuzzSupport", "MovieFile", "MediaTypes"],
            path: "Tests/Fuzz/FuzzFinisher",
            swiftSettings: ours),
        .executableTarget(
            name: "FuzzAtoms", dependencies: ["MovieFile"], path: "Tests/Fuzz/FuzzAtoms", swiftSettings: ours),
        .executableTarget(
            name: "FuzzSignature", dependencies: ["FuzzSupport", "Signing", "MovieFile", "MediaTypes"],
            path: "Tests/Fuzz/FuzzSignature", swiftSettings: ours),
        .executableTarget(
            name: "FuzzConfiguration", dependencies: ["RecorderStorage", "CommandInterface", "MediaTypes"],
            path: "Tests/Fuzz/FuzzConfiguration", swiftSettings: ours),
        .executableTarget(
            name: "FuzzLibcamera", dependencies: ["LibcameraCapture", "MediaTypes"], path: "Tests/Fuzz/FuzzLibcamera",
            swiftSettings: ours),
        .executableTarget(
            name: "FuzzControl",
            dependencies: [
                "RecorderControl", "RecorderStorage", "MediaTypes",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
            ], path: "Tests/Fuzz/FuzzControl", swiftSettings: ours),
    ]
}

// The programs of scripts/soak, which no other build needs.
if Context.environment["RECORDER_SOAKING"] != nil {
    package.targets.append(
        .executableTarget(
            name: "TenHours", dependencies: ["AssetIO", "MediaTypes", "TestSupport"], path: "Tests/Soak/TenHours",
            swiftSettings: ours))
    package.targets.append(
        .executableTarget(
            name: "ArchiveGrowth", dependencies: ["ArchiveService", "MediaTypes", "RealTime"],
            path: "Tests/Soak/ArchiveGrowth", swiftSettings: ours))
}

// The program of scripts/cross, which no other build needs.
if Context.environment["RECORDER_CROSSING"] != nil {
    package.targets.append(
        .executableTarget(
            name: "SameMovies", dependencies: ["AssetIO", "Capture", "MediaTypes"], path: "Tests/Cross/SameMovies",
            swiftSettings: ours))
}

// A target without a path of its own is Sources/FOLDER/NAME or Tests/FOLDER/NAME.
for target in package.targets where target.path == nil {
    let module = target.type == .test ? String(target.name.dropLast("Tests".count)) : target.name
    guard let folder = folders.first(where: { $0.value.contains(module) })?.key else {
        fatalError("`folders` in Package.swift does not name \(module)")
    }
    target.path = "\(target.type == .test ? "Tests" : "Sources")/\(folder)/\(target.name)"
}
