// The attributes of a text that have an effect. Foundation's attributed strings may contain other attributes, which are
// ignored. The constants are strings, so write `NSAttributedString.Key(kCTFontAttributeName as String)`. This also
// compiles on Apple's systems.

/// A `CTFont`. The default is Helvetica at 12 points.
public let kCTFontAttributeName: CFString = "NSFont"
/// A `CGColor`. The default is black.
public let kCTForegroundColorAttributeName: CFString = "CTForegroundColor"
/// True to draw with the fill color of the context, instead of the text's own color.
public let kCTForegroundColorFromContextAttributeName: CFString = "CTForegroundColorFromContext"
/// A number of points that is added between letters.
public let kCTKernAttributeName: CFString = "NSKern"
/// A `CTParagraphStyle`. In frames, the style of a paragraph's first letter applies to the entire paragraph.
public let kCTParagraphStyleAttributeName: CFString = "NSParagraphStyle"
