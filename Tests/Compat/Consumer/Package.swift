// swift-tools-version: 6.2
// scripts/compat builds this three folders below the project.
import PackageDescription

let package = Package(
    name: "consumer",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "recorder", path: "../../.."),
        .package(path: "Asking"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "Consumer",
            dependencies: [
                .product(name: "AVFoundation", package: "recorder", condition: .when(platforms: [.linux])),
                .product(name: "CoreGraphics", package: "recorder", condition: .when(platforms: [.linux])),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Asking", package: "Asking"),
            ])
    ]
)
