import Foundation
import Testing

@testable import struct CoreGraphics.Cairo

/// Tests of the library that draws.
@Suite struct CairoTests {
    @Test func cairo_installed_isLoaded() { #expect(Cairo.loaded != nil) }

    @Test func cairo_missingLibrary_namesIt() {
        let error = #expect(throws: Cairo.Missing.self) { _ = try Cairo(library: "libcairo.so.none") }
        #expect(error?.reason.contains("libcairo.so.none") == true)
    }

    @Test func cairo_libraryWithoutItsFunctions_isRefused() {
        let error = #expect(throws: Cairo.Missing.self) { _ = try Cairo(library: "libc.so.6") }
        #expect(error?.reason.contains("cairo_image_surface_create_for_data") == true)
    }
}
