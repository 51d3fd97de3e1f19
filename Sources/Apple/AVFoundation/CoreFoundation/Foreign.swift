/// AVFoundation re-exports these on Apple's systems; programs that import only AVFoundation rely on it.
@_exported public import CoreGraphics
@_exported public import Dispatch
@_exported public import Foundation
