import CoreGraphics
import Glibc

/// Access to Pango, with its own font map. Safe to use from any thread; calls run one at a time.
///
/// Several threads may use Pango's objects, but not at the same time. Pango's default font map belongs to one thread.
/// Core Text's lines and fonts, however, may be used by any thread. All lines and fonts therefore use this font map,
/// and each call to Pango is made while `lock` is held, including the calls that release Pango's objects.
final class TextEngine: @unchecked Sendable {
    // Unchecked: `lock` protects everything.

    /// The engine; nil without Pango or without a font. In that case, a message is printed once on standard error.
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
    /// The lock is recursive, because code that holds it may release an object.
    private let lock = NSRecursiveLock()
    private let fontMap: OpaquePointer
    /// A surface of one pixel, on which paths are traced.
    let scratch: OpaquePointer

    /// - Returns: nil if there is no font or not enough memory.
    private init?(_ calls: PangoCalls) {
        guard let pixel = calloc(1, 4), let scratch = calls.makeSurface(pixel, PangoCalls.argb, 1, 1, 4),
            let fontMap = calls.makeFontMap(), let context = calls.makeContext(fontMap),
            let options = calls.makeFontOptions()
        else { return nil }
        // As in Core Text, glyphs are neither fitted to pixels nor placed at integer pixels. A text therefore has the
        // same proportions at all sizes.
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

    /// Calls a function with the description of a font; returns nil if there is not enough memory.
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

/// A reference to a Pango font.
final class PangoFont: @unchecked Sendable {
    // Unchecked: the object is only used while the engine's lock is held.
    let object: OpaquePointer
    private let engine: TextEngine

    /// Takes ownership of a reference.
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
