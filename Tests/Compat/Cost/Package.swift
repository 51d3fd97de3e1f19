// swift-tools-version: 6.2
// scripts/compat builds this three folders below the project.
import PackageDescription

let package = Package(
    name: "cost",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "recorder", path: "../../..")],
    targets: [
        .executableTarget(name: "ThroughNames", dependencies: [.product(name: "AVFoundation", package: "recorder")]),
        .executableTarget(
            name: "ThroughEngine",
            dependencies: [
                .product(name: "AssetIO", package: "recorder"), .product(name: "MediaTypes", package: "recorder"),
            ]),
    ]
)
