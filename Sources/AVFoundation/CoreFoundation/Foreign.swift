/// AVFoundation brings these with it on Apple's systems; a program that imports it alone counts on them.
@_exported public import CoreGraphics
@_exported public import Dispatch
@_exported public import Foundation
