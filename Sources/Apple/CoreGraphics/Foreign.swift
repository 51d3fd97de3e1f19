/// Core Graphics re-exports Foundation, as on Apple's systems: `CGFloat`, `CGPoint`, `CGSize` and `CGRect` are
/// Foundation's here.
@_exported public import Foundation
// Needed by tests of code that imports this module.
import _Testing_CoreGraphics
