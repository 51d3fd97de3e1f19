import CoreGraphics
import Glibc

/// Pango with a font map of its own. Any thread may call; calls run one at a time.
///
/// Pango's objects may be used by several threads, but not at the same time, and its default font map belongs to one
/// thread. Lines and fonts of Core Text may be used by any thread. So all of them have this font map, and each call of
/// Pango, the release of its objects included, is made while `lock` is held.
final class TextEngine: @unchecked Sendable {
    // Unchecked: `lock` protects everything.

    /// The engine; nil without Pango or without a font, which is reported on standard error once.
    static let shared: TextEngine? = {
        do throws(LoadedLibrary.Missing) {
            if let engine = try TextEngine(PangoCalls()) { return engine }
            LoadedLibrary.report("CoreText: fontconfig finds no font; run `apt install fonts-dejavu-core`")
        } catch {
            LoadedLibrary.report(
                "CoreText: cannot load Pango: \(error.reason); run `apt install libpangocairo-1.0-0`")
        }
        return nil
    }()

    let calls: PangoCalls
    let context: OpaquePointer
    /// Recursive, because an object may be released by code that holds it.
    private let lock = NSRecursiveLock()
    private let fontMap: OpaquePointer
    /// One pixel, on which paths are traced.
    let scratch: OpaquePointer

    /// - Returns: nil without a font, and without enough memory.
    private init?(_ calls: PangoCalls) {
        guard let pixel = calloc(1, 4), let scratch = calls.makeSurface(pixel, PangoCalls.argb, 1, 1, 4),
            let fontMap = calls.makeFontMap(), let context = calls.makeContext(fontMap),
            let options = calls.makeFontOptions()
        else { return nil }
        // As Core Text: glyphs are neither fitted to pixels nor placed at whole ones, so that a text has the same
        // proportions at all sizes.
        calls.setHintStyle(options, PangoCalls.none)
        calls.setHintMetrics(options, PangoCalls.none)
        calls.setFontOptions(context, options)
        calls.freeFontOptions(options)
        calls.setRoundsPositions(context, 0)
        self.calls = calls
        self.context = context
        self.fontMap = fontMap
        self.scratch = scratch
        guard load(FontName(families: [FontName.sansSerif]), size: 12) != nil else { return nil }
    }

    func locked<Result>(_ body: () -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body()
    }

    /// Calls a function with the description of a font; returns nil without enough memory.
    func withDescription<Result>(of name: FontName, size: Double, _ body: (OpaquePointer) -> Result?) -> Result? {
        guard let description = calls.makeDescription() else { return nil }
        defer { calls.freeDescription(description) }
        name.families.joined(separator: ",").withCString { calls.setFamily(description, $0) }
        calls.setAbsoluteSize(description, size * PangoCalls.scale)
        calls.setWeight(description, name.weight)
        calls.setStyle(description, name.isItalic ? 2 : 0)
        calls.setCondensation(description, name.isCondensed ? 2 : 4)
        return body(description)
    }

    /// Returns the font that fontconfig finds nearest to a name.
    func load(_ name: FontName, size: Double) -> PangoFont? {
        locked {
            withDescription(of: name, size: size) { calls.loadFont(fontMap, context, $0) }
                .map { PangoFont(owning: $0, engine: self) }
        }
    }
}

/// A reference to a font of Pango's.
final class PangoFont: @unchecked Sendable {
    // Unchecked: the object is only used while the engine's lock is held.
    let object: OpaquePointer
    private let engine: TextEngine

    /// Takes over a reference.
    init(owning object: OpaquePointer, engine: TextEngine) {
        self.object = object
        self.engine = engine
    }

    /// Adds a reference. The caller holds the engine's lock.
    init(retaining object: OpaquePointer, engine: TextEngine) {
        self.object = engine.calls.retain(object) ?? object
        self.engine = engine
    }

    deinit {
        let (engine, object) = (engine, object)
        engine.locked { engine.calls.release(object) }
    }
}
