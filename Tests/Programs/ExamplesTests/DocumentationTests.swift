import FileSystem
import Foundation
import TestSupport
import Testing

/// The code in the documentation compiles, and its links have targets. `scripts/site` checks the same in its pages.
@Suite struct DocumentationTests {
    /// The lines of the compiled snippets, without indentation.
    private static let snippets = try! lines(
        of: String(contentsOfFile: Project.path("Examples/Snippets/Snippets.swift"), encoding: .utf8))

    private static func lines(of text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    private static func files(_ extensions: Set<String>, in directories: [String]) -> [String] {
        directories.flatMap { directory -> [String] in
            let all = FileManager.default.enumerator(atPath: Project.path(directory))?.allObjects as? [String] ?? []
            return all.filter { extensions.contains($0.fileExtension) }.map { directory + "/" + $0 }
        }
    }

    private static var pages: [String] {
        ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]
            + files(["md"], in: ["docs", "Examples", "Tests/Benchmarks", "Tests/Fuzz", "Tests/DeviceLab"])
    }

    /// Returns the Swift code between fences.
    private static func examples(_ text: String, margin: String = "") -> [[String]] {
        var (examples, current): ([[String]], [String]?) = ([], nil)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var line = line.trimmingCharacters(in: .whitespaces)
            if !margin.isEmpty {
                guard line.hasPrefix(margin) else { continue }
                line = line.dropFirst(margin.count).trimmingCharacters(in: .whitespaces)
            }
            if let own = current, line.hasPrefix("```") {
                examples.append(own)
                current = nil
            } else if line == "```swift" {
                current = []
            } else if !line.isEmpty {
                current?.append(line)
            }
        }
        return examples
    }

    private static func isCompiled(_ example: [String]) -> Bool {
        snippets.indices.contains { start in
            start + example.count <= snippets.count
                && snippets[start..<start + example.count].elementsEqual(example)
        }
    }

    @Test func documentation_everyExample_isCompiled() throws {
        var count = 0
        for (files, margin) in [(Self.pages, ""), (Self.files(["swift"], in: ["Sources"]), "///")] {
            for file in files {
                let text = try String(contentsOfFile: Project.path(file), encoding: .utf8)
                for example in Self.examples(text, margin: margin) {
                    count += 1
                    #expect(
                        Self.isCompiled(example),
                        "\(file): not in Examples/Snippets, from “\(example.first ?? "")” on")
                }
            }
        }
        #expect(count > 12)
        #expect(!Self.isCompiled(["let nothing = of.this(kind)"]))
    }

    @Test func documentation_everyLink_hasATarget() throws {
        var count = 0
        for page in Self.pages {
            let text = try String(contentsOfFile: Project.path(page), encoding: .utf8)
            for link in text.matches(of: /\]\(([^)\s]+)\)/).map(\.1) where !link.contains("://") && !link.hasPrefix("#")
            {
                count += 1
                let path = URL(fileURLWithPath: Project.path(page)).deletingLastPathComponent()
                    .appendingPathComponent(String(link.prefix { $0 != "#" })).path
                #expect(FileManager.default.fileExists(atPath: path), "\(page) leads to \(link)")
            }
            // Files that the text names exist.
            for name in text.matches(
                of: /`((?:docs|scripts|Examples|Sources|Tests|debian)\/[A-Za-z0-9._\/-]+)`/
            ).map(\.1) {
                count += 1
                #expect(
                    FileManager.default.fileExists(atPath: Project.path(String(name))), "\(page) names \(name)")
            }
        }
        #expect(count > 30)
    }

    /// systemd takes a comment behind a value as a part of the value (systemd.syntax(7)).
    @Test func documentation_unitExamples_haveNoCommentBehindAValue() throws {
        var count = 0
        for page in Self.pages {
            var isUnit = false
            for line in Self.lines(of: try String(contentsOfFile: Project.path(page), encoding: .utf8)) {
                if line.hasPrefix("```") { isUnit = false }
                if ["[Unit]", "[Service]", "[Install]", "[Timer]", "[Path]"].contains(line) { isUnit = true }
                guard isUnit, !line.hasPrefix("#"), line.contains("=") else { continue }
                count += 1
                #expect(!line.contains(" #"), "\(page): \(line)")
            }
        }
        #expect(count > 10)
    }
}
