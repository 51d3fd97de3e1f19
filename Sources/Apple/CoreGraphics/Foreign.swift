/// Core Graphics re-exports Foundation, as on Apple's systems. On Linux, Foundation defines `CGFloat`, `CGPoint`,
/// `CGSize` and `CGRect`.
@_exported public import Foundation
// Needed by tests of code that imports this module.
import _Testing_CoreGraphics
