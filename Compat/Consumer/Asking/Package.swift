// swift-tools-version: 6.2
import PackageDescription

// A package as there are many: it knows nothing of this project, and uses AVFoundation where that can be imported.
let package = Package(
    name: "asking",
    products: [.library(name: "Asking", targets: ["Asking"])],
    targets: [.target(name: "Asking")])
