import Foundation
import PackagePlugin

/// Compiles files of one test target in another one too. A package cannot list a file in two targets.
///
/// `GuideTests` gets two files of `AVFoundationTests`; `GuideSwift5Tests` gets these and all files of `GuideTests`.
@main struct SharedSources: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let tests = target.directoryURL.deletingLastPathComponent()
        var shared = ["AVFoundationTests/MadeMovies.swift", "AVFoundationTests/Composition/CompositionJudge.swift"]
            .map { tests.appending(path: $0) }
        if target.name == "GuideSwift5Tests" { shared += try swiftFiles(tests.appending(path: "GuideTests")) }
        return shared.map { source in
            let copy = context.pluginWorkDirectoryURL.appending(path: source.lastPathComponent)
            return .buildCommand(
                displayName: "Copying \(source.lastPathComponent)", executable: URL(filePath: "/bin/cp"),
                arguments: [source.path(percentEncoded: false), copy.path(percentEncoded: false)],
                inputFiles: [source], outputFiles: [copy])
        }
    }

    private func swiftFiles(_ directory: URL) throws -> [URL] {
        try FileManager.default.subpathsOfDirectory(atPath: directory.path(percentEncoded: false))
            .filter { $0.hasSuffix(".swift") }
            .sorted()
            .map { directory.appending(path: $0) }
    }
}
