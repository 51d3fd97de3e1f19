// The attributes of a text that have an effect; Foundation's attributed strings carry any others. These are strings:
// write `NSAttributedString.Key(kCTFontAttributeName as String)`, which compiles on Apple's systems too.

/// A `CTFont`; without it, Helvetica of 12 points.
public let kCTFontAttributeName: CFString = "NSFont"
/// A `CGColor`; without it, black.
public let kCTForegroundColorAttributeName: CFString = "CTForegroundColor"
/// True to draw with the fill color of the context, instead of a color of the text's own.
public let kCTForegroundColorFromContextAttributeName: CFString = "CTForegroundColorFromContext"
/// A number of points that is added between letters.
public let kCTKernAttributeName: CFString = "NSKern"
/// A `CTParagraphStyle`; that of a paragraph's first letter applies to the entire paragraph, in frames.
public let kCTParagraphStyleAttributeName: CFString = "NSParagraphStyle"
