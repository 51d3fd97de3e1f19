// swift-tools-version: 6.2
// scripts/compat builds this two folders below the project.
import PackageDescription

let settings: [SwiftSetting] = [.swiftLanguageMode(.v5)]
let names: [Target.Dependency] = ["AVFoundation", "CoreGraphics", "ImageIO", "VideoToolbox", "Accelerate"].map {
    .product(name: $0, package: "recorder", condition: .when(platforms: [.linux]))
}
// Cameras need the libraries of V4L2 and ALSA.
let cameras: [Target.Dependency] = [
    .product(name: "AVCapture", package: "recorder", condition: .when(platforms: [.linux]))
]
let capturing = ["NextLevel", "SolderScope"]

let package = Package(
    name: "compat",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "recorder", path: "../..")],
    targets: (Context.environment["COMPAT_TARGETS"] ?? "").split(separator: " ").map { name in
        .executableTarget(
            name: String(name), dependencies: capturing.contains(String(name)) ? names + cameras : names,
            swiftSettings: settings)
    }
)
