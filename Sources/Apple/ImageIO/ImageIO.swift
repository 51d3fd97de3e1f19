/// Apple’s name for a part of this package’s `AVFoundation`: re-exports the same declarations.
@_exported public import AVFoundation
