import AVFoundation
import Asking
import CoreGraphics
import GRDB

// A size is read from a database next to a time: both packages define a CGFloat.
let database = try DatabaseQueue()
let width = try database.read { try CGFloat.fetchOne($0, sql: "SELECT 1920.0") }
let rectangle = CGRect(x: 0, y: 0, width: width ?? 0, height: 1080)
    .applying(CGAffineTransform(rotationAngle: .pi / 2))
precondition(abs(rectangle.height - 1920) < 1e-9)
print(CMTimeMake(value: 1, timescale: 30).seconds, rectangle.size)
// A package that uses AVFoundation if it can, and was built before or after it.
precondition(half(of: 3) == 1.5)
print("the asking package was built \(canAsk ? "after" : "before") AVFoundation")
