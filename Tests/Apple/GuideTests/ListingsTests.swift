import Foundation
import TestSupport
import Testing

/// Tests that all listings are there.
@Suite struct ListingsTests {
    @Test func listings_numbers_areThereOnceEach() throws {
        let directory = "Tests/Apple/GuideTests/Listings"
        let texts = try FileManager.default.contentsOfDirectory(atPath: Project.path(directory)).map {
            try String(contentsOf: Project.file("\(directory)/\($0)"), encoding: .utf8)
        }
        for number in 1...29 {
            let mentions = texts.joined().components(separatedBy: "/// Listing \(number): ").count - 1
            #expect(mentions == 1, "listing \(number)")
        }
    }
}
