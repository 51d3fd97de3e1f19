// swift-tools-version: 6.2
import PackageDescription

// A typical package: it does not know this project, and uses AVFoundation wherever it can be imported.
let package = Package(
    name: "asking",
    products: [.library(name: "Asking", targets: ["Asking"])],
    targets: [.target(name: "Asking")])
