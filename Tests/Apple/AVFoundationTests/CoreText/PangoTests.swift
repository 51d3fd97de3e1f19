import CoreGraphics
import Testing

@testable import struct CoreText.PangoCalls

/// Tests of the library that lays out texts.
@Suite struct PangoTests {
    @Test func pango_missingLibrary_namesIt() {
        let error = #expect(throws: LoadedLibrary.Missing.self) {
            _ = try PangoCalls(pangoCairo: "libpangocairo.so.none")
        }
        #expect(error?.reason.contains("libpangocairo.so.none") == true)
    }

    @Test func pango_libraryWithoutItsFunctions_isRefused() {
        let error = #expect(throws: LoadedLibrary.Missing.self) { _ = try PangoCalls(pangoCairo: "libc.so.6") }
        #expect(error?.reason.contains("pango_cairo") == true)
    }
}
