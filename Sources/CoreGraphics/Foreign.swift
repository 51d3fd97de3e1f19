/// Core Graphics brings Foundation with it on Apple's systems: `CGFloat`, `CGPoint`, `CGSize` and `CGRect` are Foundation's here.
@_exported public import Foundation
// For tests of whoever imports this.
import _Testing_CoreGraphics
