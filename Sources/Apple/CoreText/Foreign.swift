/// Core Text re-exports Core Graphics, as on Apple's systems.
@_exported public import CoreGraphics
