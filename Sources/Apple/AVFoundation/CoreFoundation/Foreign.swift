/// AVFoundation re-exports these modules on Apple's systems, and programs that import only AVFoundation rely on that.
@_exported public import CoreGraphics
@_exported public import Dispatch
@_exported public import Foundation
